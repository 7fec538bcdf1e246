import { attributeOwnCalls, type Hop } from '../../lanes/index.ts';
import type { SubmittedTest, SuiteRun } from '../api-schema.ts';
import { ComparedRounds } from '../compare/compared-rounds.ts';
import { needsAnotherRound } from '../compare/confirmation.ts';
import type { Difference } from '../compare/index.ts';
import { findDeaths, findEndedLanes } from '../judge/failed-start.ts';
import { markDisputed, markDisputedChecks } from '../judge/finding-id.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import type { VerificationPlan } from '../pipeline/plan.ts';
import { runEditedSuite } from '../suites/edited-suites.ts';
import { runTest } from '../suites/run-suites.ts';
import { findDropped } from './dropped-records.ts';
import { withRequestedFaults } from './requested-faults.ts';
import { runRound } from './round.ts';

/** A test that came with a change, run on both versions, and the calls that it led to. */
export interface ObservedTest {
  readonly control: SuiteRun;
  readonly candidate: SuiteRun;
  readonly hops: readonly Hop[];
}

/** What rounds of the same requests showed of both versions. */
export interface RoundObservations {
  readonly compared: ComparedRounds;
  readonly test: ObservedTest | undefined;
  /** Suites as the change edits them, each like a test of it. */
  readonly edited: readonly ObservedTest[];
  /** Changed services that died; a disputed death is a notice. */
  readonly deaths: readonly Difference[];
  /** Calls of the suites and the test, without Surety's own scans: those prove no reach. */
  readonly hops: readonly Hop[];
  readonly doubts: readonly string[];
  readonly remarks: readonly string[];
}

export async function observeRounds(
  plan: VerificationPlan,
  test: SubmittedTest | undefined,
  context: VerifyContext,
): Promise<RoundObservations> {
  const compared = await runRounds(plan, context);
  const deaths = markDisputed(await findDeaths(plan, context.host), context.disputes);
  const ended = await findEndedLanes(plan, context.host);
  const { rounds } = compared;
  // After the rounds: these calls are compared with nothing.
  const reader = new LaterHops(plan, rounds.at(-1)?.candidate.lastHop ?? 0, context);
  const observedTest = test && (await reader.after(await runOnBoth(test, plan, context)));
  const edited: ObservedTest[] = [];
  for (const name of plan.edited) {
    edited.push(await reader.after(await runEditedSuite(name, plan, context)));
  }
  const dropped = findDropped(rounds);
  return {
    compared,
    test: observedTest,
    edited,
    deaths,
    hops: [...rounds.flatMap(({ candidate }) => candidate.hops), ...reader.all],
    doubts: [...ended, ...dropped.doubts],
    remarks: dropped.remarks,
  };
}

/** One round if nothing differs; otherwise more, until each difference is confirmed or chance. */
async function runRounds(plan: VerificationPlan, context: VerifyContext): Promise<ComparedRounds> {
  const compared = new ComparedRounds(plan.changed, context.disputes, plan.edited);
  const { rounds } = compared;
  do await compared.add(await runRound(plan, rounds, context));
  while (needsAnotherRound(compared));
  for (const { candidate } of rounds) context.onLogs?.(candidate.logs ?? []);
  return compared;
}

/** On the baseline, where the test has to fail, and on the change. */
async function runOnBoth(
  test: SubmittedTest,
  { control, candidate, base }: VerificationPlan,
  context: VerifyContext,
): Promise<Omit<ObservedTest, 'hops'>> {
  return {
    control: await runTest(test, control, base, context),
    candidate: markDisputedChecks(await runTest(test, candidate, base, context), context.disputes),
  };
}

/** The calls in the lane of the change since the rounds, each with the run that led to it. */
class LaterHops {
  readonly all: Hop[] = [];
  readonly #lane: string;
  readonly #routes: VerifyContext['routes'];
  #last: number;

  constructor({ candidate }: VerificationPlan, last: number, { routes }: VerifyContext) {
    this.#lane = candidate.lane;
    this.#routes = routes;
    this.#last = last;
  }

  async after(run: Omit<ObservedTest, 'hops'>): Promise<ObservedTest> {
    const all = attributeOwnCalls(await this.#routes.hops(this.#lane));
    const fresh = withRequestedFaults(all.filter(({ n }) => n > this.#last));
    this.#last = Math.max(this.#last, ...fresh.map(({ n }) => n));
    this.all.push(...fresh);
    return { ...run, hops: fresh };
  }
}
