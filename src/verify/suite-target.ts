import type { Lane, Routes } from '../lanes/index.ts';
import type { Config, SuiteConfig } from '../system/index.ts';
import type { SuiteTarget } from './suite.ts';

/** The lane's key travels in W3C baggage, from whoever runs the suite through every service. */
export async function targetOf({ lane }: Lane, root: string, routes: Routes): Promise<SuiteTarget> {
  return { baseUrl: await routes.address(), root, headers: { baggage: `surety-lane=${lane}` } };
}

export function chosenSuites(
  { suites }: Config,
  wanted: readonly string[] | undefined,
): [string, SuiteConfig][] {
  return Object.entries(suites).filter(([name]) => wanted?.includes(name) ?? true);
}
