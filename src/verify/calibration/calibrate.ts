import {
  type Act,
  type Actor,
  committedValue,
  fault,
  type JsonObject,
} from '../../kernel/index.ts';
import type { Baseline } from '../../lanes/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Difference } from '../differences/index.ts';
import { type LanePair, withLanePair } from '../lane-pair.ts';
import { type Measurement, measure } from '../measure/index.ts';
import type { MeasuringDeps } from '../measured-change.ts';
import type { ServiceSignal } from '../service-signal.ts';
import { type Scenario, safetyOf } from '../traffic/index.ts';
import type { CalibrationRun } from './calibration.ts';

export interface CalibrateDeps extends MeasuringDeps {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly baseline: Pick<Baseline, 'version'>;
  /** Every suite once, on this lane; what they sent, and which services that came to. */
  readonly record: (pair: LanePair) => Promise<Recorded>;
}

export interface Recorded {
  readonly scenarios: readonly Scenario[];
  readonly services: readonly string[];
}

export interface CalibrateRequest {
  readonly verdicts: number;
  /** In turn; those that the suites reach if left out. */
  readonly services?: readonly string[] | undefined;
}

/** The running version against itself, measured as a change would be: whatever fails is chance. */
export async function calibrate(
  actor: Actor,
  request: CalibrateRequest,
  deps: CalibrateDeps,
): Promise<CalibrationRun> {
  const { verdicts, services = [] } = request;
  const argumentsOf = { verdicts, services: [...services] };
  const proposal = { actor, tool: 'calibration.run', arguments: argumentsOf };
  const outcome = await deps.act(proposal, async () => {
    const base = await deps.baseline.version();
    const recorded = await withLanePair({ base }, deps, deps.record);
    const chosen = services.length > 0 ? services : recorded.services;
    if (chosen.length === 0) throw fault('NOTHING_TO_MEASURE', {});
    const measured: Measurement[] = [];
    for (let n = 0; n < verdicts; n++) {
      const service = chosen[n % chosen.length] ?? '';
      measured.push(await measureItself({ base, service, recorded }, deps));
    }
    const run = countOf(measured, chosen);
    await deps.ledger.append({ kind: 'calibration-run', actor, body: { ...run } });
    return { ...run } as unknown as JsonObject;
  });
  return committedValue(outcome) as unknown as CalibrationRun;
}

async function measureItself(
  { base, service, recorded }: { base: string; service: string; recorded: Recorded },
  deps: CalibrateDeps,
): Promise<Measurement> {
  const pair = { base, services: [service] };
  return withLanePair(pair, deps, async (lanes) => {
    const plan = {
      profile: 'quick' as const,
      lanes,
      isWarm: false,
      services: [service],
      ingress: deps.config.ingress ?? '',
      scenarios: recorded.scenarios,
      isSafe: safetyOf(deps.config, [lanes.control, lanes.candidate]),
    };
    return measure(plan, { ...deps, withFreshLanes: (work) => withLanePair(pair, deps, work) });
  });
}

function countOf(measured: readonly Measurement[], services: readonly string[]): CalibrationRun {
  return {
    verdicts: measured.length,
    falseAlarms: measured.filter(({ differences }) => differences.length > 0).length,
    undecided: measured.filter(({ undecided }) => undecided.length > 0).length,
    services: [...services],
    alarms: measured.flatMap(({ differences }) => differences.map(tellAlarm)),
    cpuRatios: measured.flatMap(({ signals }) => signals.flatMap(cpuRatio)),
  };
}

function tellAlarm({ what, service, before, after }: Difference): string {
  return `${what} of ${service}: ${before} → ${after}`;
}

function cpuRatio({ signal, ratio }: ServiceSignal): number[] {
  return signal === 'cpu-us' && ratio !== null ? [Math.round(ratio * 1_000) / 1_000] : [];
}
