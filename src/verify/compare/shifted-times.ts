import type { Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import { certaintyOf } from './difference.ts';
import type { Drift } from './field-drift.ts';
import { textsIn } from './field-facts.ts';
import { textFormatOf } from './text-format.ts';

interface HopSides {
  readonly baseline: readonly Hop[];
  readonly control: readonly Hop[];
  readonly candidate: readonly Hop[];
}

/** A time in a body, and how long before or after the call it lies. */
interface BodyTime {
  readonly text: string;
  readonly ms: number;
  readonly isFresh: boolean;
}

/** Less than any time zone is off; more than a slow round takes. */
const shiftMsMin = 20 * 60_000;

/**
 * Pure: times that are new in every request, and so are never compared as values, but always were
 * about the time of the call; and old ones that did not change. Now they are off: a time zone.
 */
export function findShiftedTimes(sides: HopSides, bodyOf: (hop: Hop) => Json): Drift[] {
  const [first, second, now] = [sides.baseline, sides.control, sides.candidate].map((hops) =>
    timesByField(hops, bodyOf),
  );
  return [...(now ?? [])].flatMap(([field, is]) => {
    const [was, again] = [first?.get(field) ?? [], second?.get(field) ?? []];
    if (was.length === 0 || was.length !== again.length || was.length !== is.length) return [];
    const found = staleTime({ was, again, is }) ?? movedTime({ was, again, is });
    if (!found) return [];
    const [before, after] = found;
    const examples = { before: before.text, after: after.text };
    return [
      {
        field,
        what: 'time-shifted',
        before: formatTime(before),
        after: formatTime(after),
        examples,
        severity: 'fail',
        confidence: certaintyOf(was.length + again.length),
      },
    ];
  });
}

interface FieldTimes {
  readonly was: readonly BodyTime[];
  readonly again: readonly BodyTime[];
  readonly is: readonly BodyTime[];
}

type TimePair = readonly [BodyTime, BodyTime];

/** As many were about the time of the call in both known runs, and fewer are now. */
function staleTime({ was, again, is }: FieldTimes): TimePair | null {
  const [fresh, known, now] = [was, again, is].map((times) => times.filter((one) => one.isFresh));
  if (fresh?.length !== known?.length || (now?.length ?? 0) >= (fresh?.length ?? 0)) return null;
  const [before, after] = [fresh?.[0], nearest(is)];
  return before && after ? [before, after] : null;
}

function nearest(times: readonly BodyTime[]): BodyTime | undefined {
  const off = times.filter((one) => !one.isFresh);
  return off.toSorted((one, other) => Math.abs(one.ms) - Math.abs(other.ms))[0];
}

/** Old times that both known runs agree on, and that are others now. */
function movedTime({ was, again, is }: FieldTimes): TimePair | null {
  const [before, known, now] = [was, again, is].map((times) =>
    times.filter((one) => !one.isFresh).toSorted((one, other) => (one.text < other.text ? -1 : 1)),
  );
  const isSteady = before?.every(({ text }, index) => text === known?.[index]?.text);
  if (!before || !now || !isSteady || before.length !== now.length) return null;
  const at = before.findIndex(
    ({ text }, index) =>
      Math.abs(Date.parse(text) - Date.parse(now[index]?.text ?? '')) > shiftMsMin,
  );
  const [one, other] = [before[at], now[at]];
  return one && other ? [one, other] : null;
}

function timesByField(hops: readonly Hop[], bodyOf: (hop: Hop) => Json): Map<string, BodyTime[]> {
  const times = hops.flatMap((hop) =>
    textsIn(bodyOf(hop))
      .filter(({ text }) => textFormatOf(text) === 'date-time')
      .map(({ field, text }) => ({ field, text, ms: Date.parse(text) - hop.at }))
      .filter(({ ms }) => Number.isFinite(ms))
      .map((one) => ({ ...one, isFresh: Math.abs(one.ms) < shiftMsMin })),
  );
  return Map.groupBy(times, ({ field }) => field);
}

function formatTime({ text, ms, isFresh }: BodyTime): string {
  if (isFresh) return 'about the time of the call';
  const hours = Math.round(Math.abs(ms) / 360_000) / 10;
  return hours > hoursMax ? text : `${hours} hours ${ms < 0 ? 'before' : 'after'} the call`;
}

const hoursMax = 48;
