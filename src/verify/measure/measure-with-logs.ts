import type { Host, Lanes } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { ErrorsMeanwhile } from '../compare/error-comparison.ts';
import type { Difference } from '../compare/index.ts';
import { type LanePair, type PairRequest, withLanePair } from '../pipeline/lane-pair.ts';
import { type Measurement, type MeasurePlan, measure, measureStart } from './index.ts';

type Deps = Parameters<typeof measureStart>[2] & {
  readonly host: Host;
  readonly lanes: Lanes;
  readonly config: Config;
};

/** Measures, and reads along what the changed services log while they get so many requests. */
export async function measureWithLogs(
  plan: MeasurePlan,
  request: PairRequest,
  deps: Deps,
): Promise<Measurement> {
  const errors = new ErrorsMeanwhile(Object.keys(deps.config.services), deps.host);
  const withFreshLanes = <Result>(work: (lanes: LanePair) => Promise<Result>): Promise<Result> =>
    withLanePair(request, deps, (lanes) => errors.during(lanes, () => work(lanes)));
  const measured = await errors.during(plan.lanes, () =>
    measure(plan, { ...deps, withFreshLanes }),
  );
  // What one start has shown once, another has to show as well.
  if (!deps.signal?.aborted && errors.certain.length === 0 && errors.once.length > 0) {
    await withFreshLanes((lanes) => measureStart({ ...plan, lanes, isWarm: false }, [], deps));
  }
  return {
    ...measured,
    differences: [...errors.certain, ...measured.differences],
    undecided: [...measured.undecided, ...errors.once.map(tellOnce)],
  };
}

function tellOnce({ service, after }: Difference): string {
  return `${service} ${after}: in one start of two`;
}
