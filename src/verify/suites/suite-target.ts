import { type Lane, type Lanes, type Routes, secretVariables } from '../../lanes/index.ts';
import type { SuiteTarget } from './run-suite.ts';
import { type LogsContext, openLogs } from './suite-logs.ts';

export interface TargetContext extends LogsContext {
  readonly routes: Routes;
  readonly signal?: AbortSignal;
  /** Knows where the lane's data is; without it suites get no addresses. */
  readonly lanes?: Pick<Lanes, 'storeAddresses'>;
}

/** The lane's key travels in W3C baggage, from the suite through every service. */
export async function targetOf(
  lane: Lane,
  root: string,
  context: TargetContext,
): Promise<SuiteTarget> {
  return {
    baseUrl: await context.routes.address(),
    root,
    headers: { baggage: `surety-lane=${lane.lane}` },
    lane: lane.lane,
    withheld: secretVariables(context.config),
    stores: (names) => context.lanes?.storeAddresses(lane, names) ?? {},
    ...(context.signal ? { signal: context.signal } : {}),
    openLogs: () => openLogs(lane, context),
  };
}
