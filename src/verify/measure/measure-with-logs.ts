import { ErrorsMeanwhile } from '../compare/error-comparison.ts';
import type { Difference } from '../compare/index.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { type LanePair, type PairRequest, withLanePair } from '../pipeline/lane-pair.ts';
import { type Measurement, type MeasurePlan, measure, measureStart } from './index.ts';

/** Measures, and compares what the changed services log during these many requests. */
export async function measureWithLogs(
  plan: MeasurePlan,
  request: PairRequest,
  context: VerifyContext,
): Promise<Measurement> {
  const errors = new ErrorsMeanwhile(Object.keys(context.config.services), context.host);
  const withFreshLanes = <Result>(work: (lanes: LanePair) => Promise<Result>): Promise<Result> =>
    withLanePair(request, context, (lanes) => errors.during(lanes, () => work(lanes)));
  const measured = await errors.during(plan.lanes, () =>
    measure(plan, { ...context, withFreshLanes }),
  );
  // What one start shows has to be confirmed by another.
  if (!context.signal?.aborted && errors.certain.length === 0 && errors.once.length > 0) {
    await withFreshLanes((lanes) => measureStart({ ...plan, lanes, isWarm: false }, [], context));
  }
  return {
    ...measured,
    differences: [...errors.certain, ...measured.differences],
    undecided: [...measured.undecided, ...errors.once.map(formatOnce)],
  };
}

function formatOnce({ service, after }: Difference): string {
  return `${service} ${after}: in one of two starts`;
}
