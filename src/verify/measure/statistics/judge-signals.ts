import type { ServiceSignal } from '../../api-schema.ts';
import { betOnLessExcessThan, betOnMoreThan } from './betting.ts';
import { isMeasured, logRatio, medianOf, type Pair, type Start } from './pair.ts';
import type { CountedRule, MeasuredRule, SignalRule } from './signal-rule.ts';

/** The measurements of one signal. */
export interface SignalMeasurement {
  readonly signal: string;
  readonly rule: SignalRule;
  readonly starts: readonly Start[];
}

export type SignalVerdict = Omit<ServiceSignal, 'service'>;

/** Of verdicts on identical versions, at most this share has any signal `worse`. */
const falseAlarmLevel = 0.01;
/** Of signals that are worse by more than the tolerance, at most this share is `not-worse`. */
const missLevel = 0.05;
const pairsNeededMax = 10_000;

/** Pure. May be called after every pair: optional stopping does not break the error rates. */
export function judgeSignals(measured: readonly SignalMeasurement[]): SignalVerdict[] {
  const evidence = measured.map(({ starts, rule }) => gatherEvidence(measuredPairs(starts), rule));
  const worse = rejectedByHolm(
    evidence.map((one) => one.worse),
    falseAlarmLevel,
  );
  return measured.map((one, index) => {
    const found = evidence[index] as SignalEvidence;
    const verdict = worse[index] ? 'worse' : isNotWorse(one, found) ? 'not-worse' : 'inconclusive';
    const needed = verdict === 'inconclusive' ? pairsNeeded(found, measured.length) : null;
    return { signal: one.signal, verdict, ...summary(one), pairsNeeded: needed };
  });
}

/** A failed measurement may hide a problem, so it is never `not-worse`. */
function isNotWorse(
  { starts }: SignalMeasurement,
  { notWorse, isSuspect }: SignalEvidence,
): boolean {
  const isWhole = starts.length > 0 && starts.every((start) => start.every(isMeasured));
  return isWhole && !isSuspect && notWorse >= Math.log(1 / missLevel);
}

function measuredPairs(starts: readonly Start[]): Start[] {
  return starts.map((start) => start.filter(isMeasured)).filter((start) => start.length > 0);
}

function pairsNeeded(evidence: SignalEvidence, signals: number): number | null {
  const needed = Math.min(
    evidence.pairsToWorse(Math.log(signals / falseAlarmLevel)),
    evidence.isSuspect
      ? Number.POSITIVE_INFINITY
      : evidence.pairsToNotWorse(Math.log(1 / missLevel)),
  );
  return needed <= pairsNeededMax ? needed : null;
}

type Summary = Omit<SignalVerdict, 'signal' | 'verdict' | 'pairsNeeded'>;

function summary({ starts, rule }: SignalMeasurement): Summary {
  const pairs = measuredPairs(starts).flat();
  const sides = [pairs.map(({ control }) => control), pairs.map(({ candidate }) => candidate)];
  const counts = { pairs: pairs.length, starts: starts.length };
  if (rule.kind === 'counted') {
    const [before = 0, after = 0] = sides.map((side) => side.reduce((sum, one) => sum + one, 0));
    return { before, after, ratio: null, interval: { low: null, high: null }, ...counts };
  }
  const [before = 0, median = 0] = sides.map((side) => (side.length === 0 ? 0 : medianOf(side)));
  const ratios = pairs.map((pair) => logRatio(pair, rule.floor));
  const { low, high } = medianInterval(ratios);
  const interval = { low: fromLog(low), high: fromLog(high) };
  const ratio = fromLog(medianOf(ratios));
  // Not the candidate's median: its distance from the control's is not the median of distances.
  const after = ratio === null || before < rule.floor ? median : before * ratio;
  return { before, after, ratio, interval, ...counts };
}

function fromLog(log: number | null): number | null {
  return log === null || Number.isNaN(log) ? null : Math.exp(log);
}

/**
 * Which of several hypotheses are rejected so that, whichever of them are true, one of those is
 * rejected with a probability of `level` at most (Holm). Evidence is what a bet made of its stake,
 * as a logarithm; its inverse is a p-value that allows for looking at any time.
 */
export function rejectedByHolm(evidence: readonly number[], level: number): boolean[] {
  const order = evidence.map((_, index) => index);
  order.sort((one, other) => (evidence[other] ?? 0) - (evidence[one] ?? 0));
  const rejected = evidence.map(() => false);
  for (const [rank, index] of order.entries()) {
    if (!((evidence[index] ?? 0) >= Math.log((evidence.length - rank) / level))) break;
    rejected[index] = true;
  }
  return rejected;
}

/** Null where the pairs leave a bound open. */
interface Interval {
  readonly low: number | null;
  readonly high: number | null;
}

/** The 95 % interval of the median, valid at any time: all values that no bet has refuted. */
export function medianInterval(values: readonly number[]): Interval {
  const sorted = values.toSorted((one, other) => one - other);
  const needed = winsNeeded(sorted.length, Math.log(2 / 0.05));
  if (needed === null) return { low: null, high: null };
  return { low: sorted[sorted.length - needed] ?? null, high: sorted[needed - 1] ?? null };
}

/** How many heads of so many throws refute that a coin is fair. */
function winsNeeded(rounds: number, log: number): number | null {
  let [few, enough] = [rounds >> 1, rounds + 1];
  while (enough - few > 1) {
    const wins = (few + enough) >> 1;
    if (wealthOf(wins, rounds - wins) >= log) enough = wins;
    else few = wins;
  }
  return enough <= rounds ? enough : null;
}

function wealthOf(wins: number, losses: number): number {
  const bet = betOnMoreThan(0.5);
  bet.observe(1, wins);
  bet.observe(0, losses);
  return bet.log;
}

/** Evidence for and against a candidate: the wealth of bets, in logarithms. */
interface SignalEvidence {
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

function gatherEvidence(starts: readonly Start[], rule: SignalRule): SignalEvidence {
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
