import type { SuiteRun } from '../api-schema.ts';
import { differenceName } from '../judge/finding-id.ts';
import type { Check } from '../suites/run-suite.ts';
import { type ComparedRounds, timesFound } from './compared-rounds.ts';
import { isValue } from './difference.ts';
import { type Difference, withoutConsequences } from './index.ts';
import { type Influence, influenceOf } from './influence.ts';

/** What rounds show repeatedly. What only one round shows is not a finding. */
export interface Confirmation {
  /** The suites of each version, all rounds merged: a check failed if it failed repeatedly. */
  readonly control: readonly SuiteRun[];
  readonly candidate: readonly SuiteRun[];
  readonly differences: readonly Difference[];
  /** What does not fail the change, but is worth knowing; also what is disputed. */
  readonly notices: readonly Difference[];
  /** In words, what was seen in one round only; the most decisive first. */
  readonly doubts: readonly string[];
}

/** The suite runs of one version, by round. */
type RoundRuns = readonly (readonly SuiteRun[])[];

/** Chance puts a difference into all of the candidate's rounds only once in 12,870 times. */
const unexplainedRounds = 8;

/** Pure: what all rounds together show. A single round confirms everything that it shows. */
export function confirmRounds(
  compared: ComparedRounds,
  isIntended: (difference: Difference) => boolean = () => false,
): Confirmation {
  const { rounds, changed } = compared;
  const found = compared.differences();
  const needed = Math.min(2, rounds.length);
  const isInAll = (one: Difference): boolean => timesFound(one, found) === rounds.length;
  const isRepeated = (one: Difference): boolean =>
    isValue(one) ? isInAll(one) : timesFound(one, found) >= needed;
  const all = [...new Map(found.flat().map((one) => [differenceName(one), one])).values()];
  const { isUnexplained, isApart } = influenceIn(compared, all.filter(isRepeated));
  const isConfirmed = (one: Difference): boolean =>
    isUnexplained(one) ? isInAll(one) : isRepeated(one);
  const unconfirmed = all.filter((one) => isFailing(one) && !isConfirmed(one) && !isApart(one));
  // After confirmation: what only one round shows does not explain what all rounds show.
  // What is intended explains nothing else, as what is disputed does not.
  const marked = all
    .filter(isConfirmed)
    .map((one): Difference => (isIntended(one) ? { ...one, severity: 'notice' } : one));
  const confirmed = withoutConsequences(marked, changed);
  const failures = confirmed.filter(isFailing);
  const explained = failures.filter((one) => !isUnexplained(one));
  const control = rounds.map((round) => round.control.runs);
  const candidate = rounds.map((round) => round.candidate.runs);
  return {
    control: mergeRuns(control, 1),
    candidate: mergeRuns(candidate, needed),
    // A change that fails anyway needs no rounds for what it does not explain.
    differences: explained.length > 0 && rounds.length < unexplainedRounds ? explained : failures,
    notices: confirmed.filter((one) => !isFailing(one)),
    // Sorted within a kind: differences come in the order of calls, which changes from run to run.
    doubts: [
      ...graveClasses.map((grave) =>
        unconfirmed.filter((one) => one.class === grave).map(formatOnce),
      ),
      unconfirmed.filter(isRepeatedEffect).map(formatRepeatedOnce),
      flakyChecks(candidate.flat(), needed),
      fewerChecks(control, candidate),
      unconfirmed
        .filter((one) => isValue(one) && !isUnexplained(one) && timesFound(one, found) > 1)
        .map(formatUnsteady),
    ].flatMap((doubtsOfKind) => doubtsOfKind.toSorted()),
  };
}

/** More rounds do not settle a doubt that is still open after these. */
const doubtfulRoundsMax = 3;

/** Whether to send the same requests once more before reaching a verdict. */
export function needsAnotherRound(compared: ComparedRounds): boolean {
  const { control, candidate, differences, doubts } = confirmRounds(compared);
  const { length } = compared.rounds;
  const influence = influenceIn(compared, differences);
  const runs = [...control, ...candidate];
  if (runs.some(({ result }) => result === 'broken')) return false;
  if (control.some(({ result }) => result === 'failed')) return false;
  const isFailed = candidate.some(({ result }) => result === 'failed');
  return (
    (doubts.length > 0 && length < doubtfulRoundsMax) ||
    (isFailed && length === 1) ||
    differences.some((one) => length < roundsToConfirm(one, influence))
  );
}

function influenceIn(
  { rounds, changed }: ComparedRounds,
  differences: readonly Difference[],
): Influence {
  const hops = rounds.flatMap(({ control, candidate }) => [...control.hops, ...candidate.hops]);
  return influenceOf(differences.filter(isFailing), changed, hops);
}

/** The confidence in a value that two runs each reported at least four times. */
const frequentValueConfidence = 0.9;

/**
 * Runs agree on a value by chance, and the more often the fewer values there are. Of a random truth
 * value, three rounds would count 3 % against a change, five rounds 0.2 %; of four such values,
 * three rounds 0.4 %.
 */
function roundsToConfirm(difference: Difference, { isUnexplained }: Influence): number {
  if (isUnexplained(difference)) return unexplainedRounds;
  if (!isValue(difference)) return 2;
  const isTruth = ['true', 'false'].includes(difference.before);
  return isTruth && difference.confidence < frequentValueConfidence ? 5 : 3;
}

/** There is no use in examining a change any further that already fails. */
export function hasFailed({ control, candidate, differences }: Confirmation): boolean {
  const isFine = [...control, ...candidate].every(({ result }) => result === 'passed');
  return !isFine || differences.length > 0;
}

export function isFailing({ severity }: Difference): boolean {
  return severity === 'fail';
}

/**
 * The same effect twice for one request. No late call of another round explains that, so one time
 * is enough to doubt the change.
 */
function isRepeatedEffect({ what }: Difference): boolean {
  return what === 'effect-repeated';
}

/** A late call may be counted in the next round, but a failed answer has failed. */
const graveClasses = ['security', 'status', 'error'];

function formatOnce({ hop, service, after }: Difference): string {
  return `${hop ?? service} had ${after} in one round only`;
}

function formatRepeatedOnce({ hop, after }: Difference): string {
  return `${hop}: the same effect ${after} for one request, in one round only`;
}

function formatUnsteady({ hop, service, place, before, after }: Difference): string {
  return `${hop ?? service}, ${place} was ${before}, and ${after} in some rounds only`;
}

/** By suite: broken if it was in any round; a check failed if it failed in so many rounds. */
function mergeRuns(rounds: RoundRuns, needed: number): SuiteRun[] {
  const bySuite = Map.groupBy(rounds.flat(), ({ suite }) => suite);
  return [...bySuite].map(([suite, runs]) => {
    const broken = runs.find(({ result }) => result === 'broken');
    if (broken) return broken;
    const checks = mergeChecks(runs, needed);
    return { suite, result: checks.some(isFailed) ? 'failed' : 'passed', checks, reason: null };
  });
}

function mergeChecks(runs: readonly SuiteRun[], needed: number): Check[] {
  const byName = Map.groupBy(runs.flatMap(namedChecks), ({ name }) => name);
  return [...byName.values()].flatMap((named) => {
    const checks = named.map(({ check }) => check);
    const failed = checks.filter(isFailed);
    if (failed.length >= needed) return failed.at(-1) ?? [];
    const disputed = checks.find((check) => check.disputed);
    const passed = checks.find((check) => check.passed);
    return passed && disputed?.disputed
      ? { ...passed, disputed: disputed.disputed }
      : (passed ?? disputed ?? []);
  });
}

function isFailed({ passed, disputed }: Check): boolean {
  return !passed && !disputed;
}

/** A suite may have several checks of the same name. */
function namedChecks({ suite, checks }: SuiteRun): { name: string; check: Check }[] {
  const times = new Map<string, number>();
  return checks.map((check) => {
    const time = (times.get(check.check) ?? 0) + 1;
    times.set(check.check, time);
    return { name: `${suite}: ${check.check}${time > 1 ? ` (${time})` : ''}`, check };
  });
}

function flakyChecks(runs: readonly SuiteRun[], needed: number): string[] {
  const failed = runs.flatMap(namedChecks).filter(({ check }) => isFailed(check));
  return [...Map.groupBy(failed, ({ name }) => name)]
    .filter(([, times]) => times.length < needed)
    .map(([name]) => `check ${name} failed in one round only`);
}

/**
 * Suites that passed with fewer checks than on the baseline: a loop over a list that has become
 * empty checks nothing, and fails nothing.
 */
function fewerChecks(control: RoundRuns, candidate: RoundRuns): string[] {
  const suites = new Set(candidate.flat().map(({ suite }) => suite));
  return [...suites].flatMap((suite) => {
    const before = Math.min(...checkCounts(suite, control));
    const after = Math.max(...checkCounts(suite, candidate));
    // A suite that broke off or failed is reported as such.
    return after < before && [...control, ...candidate].every((runs) => hasPassed(suite, runs))
      ? [`suite ${suite} ran ${after} checks, ${before} on the baseline`]
      : [];
  });
}

function checkCounts(suite: string, rounds: RoundRuns): number[] {
  return rounds.map((runs) =>
    runs.filter((run) => run.suite === suite).reduce((sum, { checks }) => sum + checks.length, 0),
  );
}

function hasPassed(suite: string, runs: readonly SuiteRun[]): boolean {
  const own = runs.filter((run) => run.suite === suite);
  return own.every(
    ({ result, checks }) => result === 'passed' && checks.every((one) => one.passed),
  );
}
