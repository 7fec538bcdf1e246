import type { Hop } from '../../lanes/index.ts';
import type { DifferenceClass } from '../compare/index.ts';
import { hasFailed, type Retried } from './retried.ts';
import {
  type Counts,
  isAccepted,
  isDoing,
  plainName,
  rowsIn,
  silentCalls,
  sizes,
  valuesBehind,
} from './retried-counts.ts';
import type { SweptFault } from './swept-fault.ts';

/** What both versions made of the same fault, as often as it was tried. */
export interface Swept {
  readonly fault: SweptFault;
  readonly control: readonly Retried[];
  readonly candidate: readonly Retried[];
}

/** What only a change does when something goes wrong on the way and its client tries again. */
export interface Relapse {
  readonly class: DifferenceClass;
  readonly what: 'retry-repeats' | 'retry-skips' | 'retry-refused' | 'fault-felt';
  readonly hop: string | null;
  readonly place: string | null;
  readonly before: string;
  readonly after: string;
  readonly by: Retried;
}

/** With what had gone wrong. */
export interface Relapsed {
  readonly fault: SweptFault;
  readonly relapse: Relapse;
}

/**
 * Pure: what the version before did the same way each time, and the change otherwise at least so
 * often. Nothing where either did not meet the fault, or where their clients had no reason to do
 * the same: who got an answer does not ask again.
 */
export function findRelapses(swept: Swept, showsMin: number): Relapse[] {
  const { control, candidate } = swept;
  const all = [...control, ...candidate];
  if (control.length === 0 || !all.every(({ hops }) => hops.some(isInjected))) return [];
  const felt = feltFault(swept, showsMin);
  if (felt) return [felt];
  if (!all.every(({ statuses }) => hasFailed(statuses[0]))) return [];
  const found = [...repeats(swept, showsMin), refusal(swept, showsMin), ...skips(swept, showsMin)];
  return found.filter((one) => one !== null);
}

/** It had an answer to that before, and has none now. */
function feltFault({ control, candidate }: Swept, showsMin: number): Relapse | null {
  const shows = candidate.filter(({ statuses }) => hasFailed(statuses[0]));
  const [by] = shows;
  if (!by || shows.length < showsMin || !control.every(({ statuses }) => isAccepted(statuses[0]))) {
    return null;
  }
  const told = { before: tellStatus(control[0]?.statuses[0]), after: tellStatus(by.statuses[0]) };
  return { class: 'status', what: 'fault-felt', hop: null, place: null, ...told, by };
}

function refusal({ control, candidate }: Swept, showsMin: number): Relapse | null {
  const shows = candidate.filter((one) => !isAccepted(one.statuses.at(-1)));
  const [by] = shows;
  const wasAccepted = control.every(({ statuses }) => isAccepted(statuses.at(-1)));
  if (!by || shows.length < showsMin || !wasAccepted) return null;
  const before = `${tellStatus(control[0]?.statuses.at(-1))} to a client that tries again`;
  const after = `${tellStatus(by.statuses.at(-1))} to a client that tries again`;
  return { class: 'status', what: 'retry-refused', hop: null, place: null, before, after, by };
}

/** Only of what was served whole in both attempts can be said that it was to be done once. */
function repeats(swept: Swept, showsMin: number): Relapse[] {
  const { fault } = swept;
  if (fault.kind !== 'lost') return [];
  const namesOfOne = namesBehind(swept);
  const values = more(swept, showsMin, (one) => sizes(valuesBehind(fault.hop, one.hops)));
  const silent = more(swept, showsMin, (one) => silentCalls(fault.hop, one.hops));
  const rows = fault.isWhole ? more(swept, showsMin, rowsIn) : [];
  return [
    ...values
      .filter(({ name }) => namesOfOne.has(name))
      .map((one) => tellRepeat('calls', 'values', one)),
    ...silent.map((one) => tellRepeat('calls', 'calls', one)),
    ...rows.map((one) => tellRepeat('writes', 'rows', one)),
  ];
}

function tellRepeat(kind: 'calls' | 'writes', unit: string, { name, was, is, by }: More): Relapse {
  const [hop, place] = kind === 'calls' ? name.split('\n') : [null, name];
  const before = `${was} ${was === 1 ? unit.slice(0, -1) : unit} for one that was tried again`;
  const after = `${is} ${unit}: what was done already is done again`;
  return {
    class: kind,
    what: 'retry-repeats',
    hop: hop ?? null,
    place: place ?? null,
    before,
    after,
    by,
  };
}

/** It says that all is well, and somebody was never asked. */
function skips({ control, candidate }: Swept, showsMin: number): Relapse[] {
  const names = new Set(control.flatMap(({ hops }) => hops.filter(isDoing).map(plainName)));
  const has = (name: string) => (one: Retried) => one.hops.some((hop) => isDone(hop, name));
  return [...names].flatMap((name) => {
    const shows = candidate.filter((one) => isAccepted(one.statuses.at(-1)) && !has(name)(one));
    const [by] = shows;
    if (!by || shows.length < showsMin || !control.every(has(name))) return [];
    const before = 'asked in the end, by a client that tries again';
    const common = { class: 'calls', what: 'retry-skips', hop: name, place: null } as const;
    return [
      { ...common, before, after: 'never asked, and the client is told that it is done', by },
    ];
  });
}

interface More {
  readonly name: string;
  readonly was: number;
  readonly is: number;
  readonly by: Retried;
}

/** What there was as often each time, once at least, and is more often now. */
function more(
  { control, candidate }: Swept,
  showsMin: number,
  count: (one: Retried) => Counts,
): More[] {
  const [first = new Map<string, number>(), ...others] = control.map(count);
  const now = candidate.map((by) => ({ by, counts: count(by) }));
  return [...first].flatMap(([name, was]) => {
    if (!others.every((one) => one.get(name) === was)) return [];
    const shows = now.filter(({ counts }) => (counts.get(name) ?? 0) > was);
    const [worst] = shows;
    if (!worst || shows.length < showsMin) return [];
    return [{ name, was, is: worst.counts.get(name) ?? 0, by: worst.by }];
  });
}

/** Fields that had one value in both attempts, and another in each try: they name what was done. */
function namesBehind({ fault, control }: Swept): ReadonlySet<string> {
  const tries = control.map(({ hops }) => valuesBehind(fault.hop, hops));
  const [first = new Map<string, Set<string>>()] = tries;
  const named = [...first.keys()].filter((name) => {
    const values = tries.map((one) => one.get(name) ?? new Set());
    const different = new Set(values.flatMap((one) => [...one]));
    return values.every(({ size }) => size === 1) && different.size === tries.length;
  });
  return new Set(named);
}

function isDone(hop: Hop, name: string): boolean {
  return isDoing(hop) && plainName(hop) === name;
}

function isInjected({ injected }: Hop): boolean {
  return injected !== undefined;
}

function tellStatus(status = 0): string {
  return status === 0 ? 'no answer' : `status ${status}`;
}
