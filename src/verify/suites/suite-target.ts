import { type Lane, type Lanes, type Routes, secretVariables } from '../../lanes/index.ts';
import type { SuiteTarget } from './run-suite.ts';
import { type LogsDeps, openLogs } from './suite-logs.ts';

export interface TargetDeps extends LogsDeps {
  readonly routes: Routes;
  readonly signal?: AbortSignal;
  /** Who knows where the lane's data is; without it suites get none. */
  readonly lanes?: Pick<Lanes, 'storeAddresses'>;
}

/** The lane's key travels in W3C baggage, from whoever runs the suite through every service. */
export async function targetOf(lane: Lane, root: string, deps: TargetDeps): Promise<SuiteTarget> {
  return {
    baseUrl: await deps.routes.address(),
    root,
    headers: { baggage: `surety-lane=${lane.lane}` },
    lane: lane.lane,
    withheld: secretVariables(deps.config),
    stores: (names) => deps.lanes?.storeAddresses(lane, names) ?? {},
    ...(deps.signal ? { signal: deps.signal } : {}),
    openLogs: () => openLogs(lane, deps),
  };
}
