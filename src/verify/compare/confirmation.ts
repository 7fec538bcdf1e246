import { Disputed } from '../history/disputed.ts';
import { differenceName as nameOf } from '../judge/finding-id.ts';
import type { Round } from '../observe/round.ts';
import { fewerChecks } from '../suites/fewer-checks.ts';
import type { Check, SuiteRun } from '../suites/run-suite.ts';
import { compareInTurns, compareRounds, type Judged } from './compare-rounds.ts';
import { type Difference, withoutConsequences } from './index.ts';

/** Nothing is held against a change that was seen only once. */
export interface Confirmed {
  /** The suites of each version, all rounds as one: a check failed if it failed again. */
  readonly control: readonly SuiteRun[];
  readonly candidate: readonly SuiteRun[];
  readonly differences: readonly Difference[];
  /** What fails nothing, but is worth knowing. */
  readonly notices: readonly Difference[];
  /** Seen once, and not again; in words. */
  readonly doubts: readonly string[];
  /** The ids of what was seen and is disputed. */
  readonly aside?: readonly string[];
}

const nothingDisputed = new Disputed([]);

/** Pure: what all rounds together say. After a single one, nothing is confirmed yet. */
export function confirm(
  rounds: readonly Round[],
  changed: readonly string[],
  disputed: Disputed = nothingDisputed,
): Confirmed {
  const found = rounds.map((_, index) => differencesIn({ rounds, index, changed, disputed }));
  const needed = Math.min(2, rounds.length);
  const isConfirmed = (difference: Difference): boolean =>
    timesFound(difference, found) >= (isValue(difference) ? rounds.length : needed);
  const all = [...new Map(found.flat().map((one) => [nameOf(one), one])).values()];
  const once = all.filter((one) => isFailing(one) && !isConfirmed(one));
  // Only now: what strayed into one round explains nothing that all of them show.
  const confirmed = withoutConsequences(all.filter(isConfirmed), changed);
  const notices = confirmed.filter((one) => !isFailing(one));
  const runs = rounds.map(({ candidate }) => candidate.runs);
  const held = runs.map((some) => some.map((run) => disputed.held(run)));
  return {
    control: mergeRuns(
      rounds.map(({ control }) => control.runs),
      1,
    ),
    candidate: mergeRuns(held, needed),
    differences: confirmed.filter(isFailing),
    notices: disputed.without(notices),
    doubts: [
      ...once.filter(isGrave).map(tellOnce),
      ...once.filter((one) => isValue(one) && timesFound(one, found) > 1).map(tellUnsteady),
      ...shakyChecks(held.flat(), needed),
      ...fewerChecks(rounds),
    ],
    aside: disputed.among(notices, runs.flat()),
  };
}

/** Compares beforehand what `confirm` goes by, a bit at a time: others wait for the daemon. */
export async function compareAhead(rounds: readonly Round[], judged: Judged): Promise<void> {
  for (const [index, round] of rounds.entries()) {
    for (const other of othersOf(rounds, index)) await compareInTurns(round, other, judged);
  }
}

/** A doubt that so many rounds did not settle, others will not. */
const doubtfulRoundsMax = 3;

/** Whether the same requests should be sent once more before anybody is told anything. */
export function isWorthReplay(
  rounds: readonly Round[],
  changed: readonly string[],
  disputed: Disputed = nothingDisputed,
): boolean {
  const { control, candidate, differences, doubts } = confirm(rounds, changed, disputed);
  const runs = [...control, ...candidate];
  if (runs.some(({ result }) => result === 'broken')) return false;
  if (control.some(({ result }) => result === 'failed')) return false;
  const isFailed = candidate.some(({ result }) => result === 'failed');
  return (
    (doubts.length > 0 && rounds.length < doubtfulRoundsMax) ||
    (isFailed && rounds.length === 1) ||
    differences.some((one) => rounds.length < roundsToConfirm(one))
  );
}

/** So much is known where a value was told at least four times by each of two runs. */
const oftenTold = 0.9;

/**
 * Runs agree on a value by chance the more often, the fewer values there are. Of a truth value
 * drawn by lot, three rounds would hold 3 % against a change, five 0.2 %; of four such values,
 * three rounds 0.4 %.
 */
function roundsToConfirm(difference: Difference): number {
  if (!isValue(difference)) return 2;
  const isTruth = ['true', 'false'].includes(difference.before);
  return isTruth && difference.confidence < oftenTold ? 5 : 3;
}

function isFailing({ severity }: Difference): boolean {
  return severity === 'fail';
}

function isValue({ what }: Difference): boolean {
  return what === 'value-changed';
}

interface OneOf {
  readonly rounds: readonly Round[];
  readonly index: number;
  readonly changed: readonly string[];
  readonly disputed: Disputed;
}

/**
 * Against the control of the same round and of every other: what differs between two rounds of the
 * control is noise, and no difference.
 */
function differencesIn({ rounds, index, changed, disputed }: OneOf): Difference[] {
  const round = rounds[index] as Round;
  const judged = { changed, disputed };
  const [first = [], ...more] = othersOf(rounds, index).map((other) =>
    compareRounds(round, other, judged),
  );
  return first.filter((one) => timesFound(one, more) === more.length);
}

/** Whose controls tell what is noise in a round: its own only where there is no other. */
function othersOf(rounds: readonly Round[], index: number): readonly Round[] {
  return rounds.length === 1 ? rounds : rounds.filter((_, other) => other !== index);
}

function timesFound(difference: Difference, lists: readonly (readonly Difference[])[]): number {
  const name = nameOf(difference);
  return lists.filter((list) => list.some((one) => nameOf(one) === name)).length;
}

/** Calls may come late and be counted in the next round; an answer that failed has failed. */
function isGrave({ class: kind }: Difference): boolean {
  return kind === 'status' || kind === 'error' || kind === 'security';
}

function tellOnce({ hop, service, after }: Difference): string {
  return `${hop ?? service} once had ${after}, and not again`;
}

function tellUnsteady({ hop, service, place, before, after }: Difference): string {
  return `${hop ?? service}, ${place} was ${before} and had ${after} in some rounds only`;
}

/** By suite: broken if it ever was; each check failed if it failed in so many rounds. */
function mergeRuns(rounds: readonly (readonly SuiteRun[])[], needed: number): SuiteRun[] {
  const bySuite = Map.groupBy(rounds.flat(), ({ suite }) => suite);
  return [...bySuite].map(([suite, runs]) => {
    const broken = runs.find(({ result }) => result === 'broken');
    if (broken) return broken;
    const checks = mergeChecks(runs, needed);
    const failed = checks.some(({ passed }) => !passed);
    return { suite, result: failed ? 'failed' : 'passed', checks, reason: null };
  });
}

function mergeChecks(runs: readonly SuiteRun[], needed: number): Check[] {
  const byName = Map.groupBy(runs.flatMap(namedChecks), ({ name }) => name);
  return [...byName.values()].flatMap((named) => {
    const checks = named.map(({ check }) => check);
    const failed = checks.filter(({ passed }) => !passed);
    const told = failed.length >= needed ? failed.at(-1) : checks.find(({ passed }) => passed);
    return told ?? [];
  });
}

/** A suite may look at the same thing several times. */
function namedChecks({ suite, checks }: SuiteRun): { name: string; check: Check }[] {
  const times = new Map<string, number>();
  return checks.map((check) => {
    const time = (times.get(check.check) ?? 0) + 1;
    times.set(check.check, time);
    return { name: `${suite}: ${check.check}${time > 1 ? ` (${time})` : ''}`, check };
  });
}

function shakyChecks(runs: readonly SuiteRun[], needed: number): string[] {
  const failed = runs.flatMap(namedChecks).filter(({ check }) => !check.passed);
  return [...Map.groupBy(failed, ({ name }) => name)]
    .filter(([, times]) => times.length < needed)
    .map(([name]) => `check ${name} failed once, and not again`);
}
