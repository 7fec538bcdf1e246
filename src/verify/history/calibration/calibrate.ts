import { type Act, type Actor, type Clock, committedValue, fault } from '../../../kernel/index.ts';
import type { Baseline } from '../../../lanes/index.ts';
import type { Ledger } from '../../../ledger/index.ts';
import type { Profile } from '../../pipeline/profile.ts';
import type { Progress } from '../../pipeline/progress.ts';
import { type RunDeps, runVerification } from '../../pipeline/run.ts';
import { reachedServices } from '../../suites/reached-services.ts';
import { activeDisputes } from '../disputes.ts';
import { type CalibrationRun, countOf, summed } from './calibration-run.ts';

export interface CalibrateDeps extends RunDeps {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly progress: Progress;
  readonly clock: Clock;
  readonly baseline: Pick<Baseline, 'version'>;
}

export interface CalibrateRequest {
  readonly verdicts: number;
  /** In turn; those that the suites reach if left out. */
  readonly services?: readonly string[] | undefined;
  /** How many of them are started anew for each verdict; 1 if left out. */
  readonly atOnce?: number | undefined;
  /** `quick` if left out. */
  readonly profile?: Profile | undefined;
}

/**
 * Whole verdicts on the running version, with everything that a change is looked at by, where
 * nothing is changed: whatever fails is chance. Each is counted as soon as it is reached.
 */
export async function calibrate(
  actor: Actor,
  request: CalibrateRequest,
  deps: CalibrateDeps,
): Promise<CalibrationRun> {
  const { verdicts, services = [], atOnce = 1, profile = 'quick' } = request;
  const argumentsOf = { verdicts, services: [...services], atOnce, profile };
  const proposal = { actor, tool: 'calibration.run', arguments: argumentsOf };
  const outcome = await deps.act(proposal, async () => {
    const base = await deps.baseline.version();
    const chosen = services.length > 0 ? services : await reachedServices(base, deps);
    if (chosen.length === 0) throw fault('NOTHING_TO_MEASURE', {});
    const judge = (n: number): Promise<CalibrationRun> =>
      judgeItself(actor, { base, restarted: taken(chosen, n, atOnce), profile }, deps);
    const first = await judge(0);
    const more: CalibrationRun[] = [];
    while (more.length + 1 < verdicts) more.push(await judge(more.length + 1));
    return { ...summed([first, ...more]), services: [...chosen] };
  });
  return committedValue(outcome) as unknown as CalibrationRun;
}

/** So many from there on, round and round. */
function taken(services: readonly string[], from: number, count: number): string[] {
  const most = Math.min(count, services.length);
  return Array.from({ length: most }, (_, n) => services[(from + n) % services.length] ?? '');
}

interface Itself {
  readonly base: string;
  readonly restarted: readonly string[];
  readonly profile: Profile;
}

async function judgeItself(
  actor: Actor,
  { base, restarted, profile }: Itself,
  deps: CalibrateDeps,
): Promise<CalibrationRun> {
  const request = { patch: '', base, restarted, profile };
  const disputes = await activeDisputes(deps.ledger, deps.clock.now());
  const verdict = deps.makeIdentifier('verdict');
  const begun = { verdict, actor, change: `nothing: ${restarted.join(', ')}` };
  const reached = await deps.progress.during(begun, (tell) =>
    runVerification(request, { ...deps, tell, disputes }),
  );
  const run = countOf(reached, restarted);
  await deps.ledger.append({ kind: 'calibration-run', actor, body: { ...run } });
  return run;
}
