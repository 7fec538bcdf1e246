import { ExpressionMistake } from './expression.ts';
import { type Evaluate, failed, makeNode, type Node, type SourcePosition } from './node.ts';
import { int } from './shape.ts';
import { nameOf } from './take.ts';
import { offsetMinutes } from './time-text.ts';

/** Getters for a date that was shifted so that its UTC parts are those of the zone. */
const ofTimestamp: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: (date) => Math.floor((date.getTime() - startOfYear(date)) / 86_400_000),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

function startOfYear(date: Date): number {
  return new Date(0).setUTCFullYear(date.getUTCFullYear(), 0, 1);
}

const ofDuration: Readonly<Record<string, (ms: number) => number>> = {
  getHours: (ms) => Math.trunc(ms / 3_600_000) + 0,
  getMinutes: (ms) => Math.trunc(ms / 60_000) + 0,
  getSeconds: (ms) => Math.trunc(ms / 1_000) + 0,
  getMilliseconds: (ms) => (ms % 1_000) + 0,
};

export const timeGetters: readonly string[] = Object.keys(ofTimestamp);

export function getTime(from: SourcePosition, name: string, [time, zone]: readonly Node[]): Node {
  if (!time) throw new ExpressionMistake(`${name}() is called on a time`, from.at);
  if (time.shape.kind === 'duration' && !zone) return getOfDuration(from, name, time);
  if (time.shape.kind !== 'timestamp') {
    throw new ExpressionMistake(
      `${name}() needs a timestamp, but ${time.source} is ${nameOf(time.shape.kind)}: write timestamp(${time.source})`,
      time.at,
    );
  }
  return getOfTimestamp(from, name, time, zone);
}

function getOfDuration(from: SourcePosition, name: string, time: Node): Node {
  const get = ofDuration[name];
  if (!get) throw new ExpressionMistake(`a duration has no ${name}()`, from.at);
  return makeNode(from, int, [time], (frame) => {
    const ms = time.run(frame);
    return ms === failed ? failed : get(ms as number);
  });
}

function getOfTimestamp(
  from: SourcePosition,
  name: string,
  time: Node,
  zone: Node | undefined,
): Node {
  const get = ofTimestamp[name] as (date: Date) => number;
  const shift = zone ? shiftOf(zone) : { ms: () => 0, steps: 4 };
  const run: Evaluate = (frame) => {
    const ms = time.run(frame);
    if (ms === failed) return failed;
    return get(new Date((ms as number) + shift.ms(ms as number)));
  };
  return makeNode(from, int, [time], run, { steps: shift.steps });
}

interface Shift {
  /** The offset of the zone from UTC at a time. */
  ms(at: number): number;
  readonly steps: number;
}

/**
 * The zone is a literal, so that an unknown one is a mistake at load and not a failure at night.
 */
function shiftOf({ constant, at }: Node): Shift {
  if (typeof constant !== 'string') {
    throw new ExpressionMistake('a time zone is a literal text such as "Europe/Berlin"', at);
  }
  if (constant === 'UTC') return { ms: () => 0, steps: 4 };
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(constant);
  const minutes = fixed ? offsetMinutes(fixed[1], fixed[2], fixed[3]) : undefined;
  if (minutes !== undefined) return { ms: () => minutes * 60_000, steps: 4 };
  return { ms: shiftOfPlace(constant, at), steps: 200 };
}

function shiftOfPlace(zone: string, at: number): (ms: number) => number {
  const format = openFormat(zone, at);
  return (ms) => {
    const parts: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(new Date(ms))) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const there = new Date(0);
    there.setUTCFullYear(year, month - 1, day);
    there.setUTCHours(hour, minute, second);
    return there.getTime() - Math.floor(ms / 1_000) * 1_000;
  };
}

function openFormat(timeZone: string, at: number): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new ExpressionMistake(
      `there is no time zone "${timeZone}": write UTC, +02:00 or a name such as Europe/Berlin`,
      at,
    );
  }
}
