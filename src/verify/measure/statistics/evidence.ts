import { betOnLessExcessThan, betOnMoreThan } from './betting.ts';
import { logRatio, medianOf, type Pair, type Start } from './pair.ts';
import type { CountedRule, MeasuredRule, SignalRule } from './signal-rule.ts';

/** Evidence for and against a candidate: the wealth of bets, in logarithms. */
export interface SignalEvidence {
  /** Against "it is not worse": the highest so far. Counts only if the starts agree. */
  readonly worse: number;
  /** Against "it is worse by more than the tolerance": the current value. */
  readonly notWorse: number;
  /** Points to worse without proving it. */
  readonly isSuspect: boolean;
  pairsToWorse(log: number): number;
  pairsToNotWorse(log: number): number;
}

/** Twice or half as much, which usual noise does not reach. */
const farAway = Math.log(2);
/** In the tails even a harmless shift favours one side a little. */
const tailShare = 2 / 3;
const tailExcessMax = 0.15;
/** Share of the stake; the rest is on the tails, where fewer pairs show larger differences. */
const stakeOnMost = 0.75;
/** Odds at which more pairs are better than `not-worse`. */
const suspicion = Math.log(4);

export function gatherEvidence(starts: readonly Start[], rule: SignalRule): SignalEvidence {
  return rule.kind === 'measured' ? ofMeasured(starts, rule) : ofCounted(starts, rule);
}

/** A single process may be lucky by about the margin; several on the same side rarely are. */
function marginOf({ margin }: MeasuredRule, starts: number): number {
  return Math.log1p(margin * (1 + 1 / starts ** 2));
}

/** Two ways of being worse, with one shared stake: most requests a little, or a few by far. */
function ofMeasured(starts: readonly Start[], rule: MeasuredRule): SignalEvidence {
  const margin = marginOf(rule, starts.length);
  const tolerance = Math.log1p(rule.tolerance);
  const differences = starts.map((start) => start.map((pair) => logRatio(pair, rule.floor)));
  const [most, few, tilt] = [betOnMoreThan(0.5), betOnMoreThan(tailShare), betOnMoreThan(0.5)];
  const [bearable, rare] = [betOnMoreThan(0.5), betOnLessExcessThan(tailExcessMax)];
  for (const difference of differences.flat()) {
    most.observe(difference > margin ? 1 : 0);
    bearable.observe(difference < tolerance ? 1 : 0);
    const far = farOf(difference);
    rare.observe(far);
    if (far === 0) continue;
    few.observe(far === 1 ? 1 : 0);
    tilt.observe(far === 1 ? 1 : 0);
  }
  const everywhere = differences.every((start) => medianOf(start) > margin);
  const tails = differences.map((start) => start.map(farOf));
  return {
    worse: Math.max(
      everywhere ? most.mostLog + Math.log(stakeOnMost) : 0,
      agree(tails) ? few.mostLog + Math.log(1 - stakeOnMost) : 0,
    ),
    notWorse: Math.min(bearable.log, rare.log),
    isSuspect: tilt.log > suspicion,
    pairsToWorse: (log) => most.roundsTo(log - Math.log(stakeOnMost)),
    pairsToNotWorse: (log) => Math.max(bearable.roundsTo(log), rare.roundsTo(log)),
  };
}

function farOf(difference: number): number {
  return Math.abs(difference) > farAway ? Math.sign(difference) : 0;
}

/** Pairs with equal counts do not show which version has more. */
function ofCounted(starts: readonly Start[], { shareMax }: CountedRule): SignalEvidence {
  const signs = starts.map((start) => start.map(signOf));
  const [more, rare] = [betOnMoreThan(0.5), betOnLessExcessThan(shareMax)];
  const all = signs.flat();
  for (const sign of all) {
    if (sign !== 0) more.observe(sign === 1 ? 1 : 0);
    rare.observe(sign);
  }
  const unequal = all.filter((sign) => sign !== 0).length / all.length;
  return {
    worse: agree(signs) ? more.mostLog : 0,
    notWorse: rare.log,
    isSuspect: more.log > suspicion || hasNewErrors(starts),
    pairsToWorse: (log) => Math.ceil(more.roundsTo(log) / unequal),
    pairsToNotWorse: (log) => rare.roundsTo(log),
  };
}

function signOf({ control, candidate }: Pair): number {
  return Math.sign(candidate - control);
}

/** No number of good requests makes an error harmless that the control never had. */
function hasNewErrors(starts: readonly Start[]): boolean {
  const pairs = starts.flat();
  return pairs.every(({ control }) => control === 0) && pairs.some((pair) => pair.candidate > 0);
}

/** Rare events may be missing from a start, but two starts must agree and none may disagree. */
function agree(starts: readonly (readonly number[])[]): boolean {
  const excesses = starts.map((signs) => signs.reduce((sum, sign) => sum + sign, 0));
  const inFavour = excesses.filter((excess) => excess > 0).length;
  return excesses.every((excess) => excess >= 0) && inFavour >= Math.min(2, starts.length);
}
