import { type Actor, committedValue, fault } from '../../../kernel/index.ts';
import type { CalibrationRequest, CalibrationRun, Profile } from '../../api-schema.ts';
import type { VerifyContext } from '../../pipeline/context.ts';
import { runner } from '../../pipeline/lane-pair.ts';
import { runVerification } from '../../pipeline/run.ts';
import { runSuites } from '../../suites/run-suites.ts';
import { activeDisputes } from '../disputes.ts';
import { countOf, summed } from './calibration-run.ts';

/**
 * Whole verdicts on the baseline, where nothing is changed: every failure is a false alarm. Each
 * verdict is recorded as soon as it is reached.
 */
export async function calibrate(
  actor: Actor,
  request: CalibrationRequest,
  context: VerifyContext,
): Promise<CalibrationRun> {
  const { verdicts, services = [], atOnce = 1, profile = 'quick' } = request;
  const argumentsOf = { verdicts, services: [...services], atOnce, profile };
  const proposal = { actor, tool: 'calibration.run', arguments: argumentsOf };
  const outcome = await context.act(proposal, async () => {
    const base = await context.baseline.version();
    const chosen = services.length > 0 ? services : await reachedServices(base, context);
    if (chosen.length === 0) throw fault('NOTHING_TO_MEASURE', {});
    const judge = (n: number): Promise<CalibrationRun> =>
      judgeUnchanged(
        actor,
        { base, restarted: chooseServices(chosen, n, atOnce), profile },
        context,
      );
    const first = await judge(0);
    const more: CalibrationRun[] = [];
    while (more.length + 1 < verdicts) more.push(await judge(more.length + 1));
    return { ...summed([first, ...more]), services: [...chosen] };
  });
  return committedValue(outcome);
}

/** So many services from there on, cyclically. */
function chooseServices(services: readonly string[], from: number, count: number): string[] {
  const most = Math.min(count, services.length);
  return Array.from({ length: most }, (_, n) => services[(from + n) % services.length] ?? '');
}

interface UnchangedVersion {
  readonly base: string;
  readonly restarted: readonly string[];
  readonly profile: Profile;
}

async function judgeUnchanged(
  actor: Actor,
  { base, restarted, profile }: UnchangedVersion,
  context: VerifyContext,
): Promise<CalibrationRun> {
  const request = { patch: '', base, restarted, profile };
  const disputes = await activeDisputes(context.ledger, context.clock.now());
  const verdict = context.makeIdentifier('verdict');
  const begun = { verdict, actor, change: `nothing: ${restarted.join(', ')}` };
  const reached = await context.progress.during(begun, (onProgress) =>
    runVerification(request, { ...context, onProgress, disputes }),
  );
  const run = countOf(reached, restarted);
  await context.ledger.append({ kind: 'calibration-run', actor, body: { ...run } });
  return run;
}

/** The services that the suites reach, and that a lane can have a copy of. */
async function reachedServices(base: string, context: VerifyContext): Promise<string[]> {
  const { lanes, routes, config } = context;
  const lane = await lanes.open(runner, { base, transient: true });
  try {
    await runSuites(lane, base, context);
    const names = new Set((await routes.hops(lane.lane)).map(({ to }) => to));
    return Object.entries(config.services)
      .filter(([name, { command, lane: own }]) => names.has(name) && (command ?? own.command))
      .map(([name]) => name);
  } finally {
    await lanes.close(runner, lane.lane);
  }
}
