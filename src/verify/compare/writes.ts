import { certaintyOf, type Difference } from './difference.ts';
import { findDrift } from './drift.ts';
import type { VersionRecording, VersionRecordings, Write } from './recording.ts';

/** Compares the rows that versions wrote for the same requests: number and shape. */
export function findWriteChanges({
  baseline,
  control,
  candidate,
}: VersionRecordings): Difference[] {
  // Where a reading failed, nothing was not written.
  const sides = [baseline, control, candidate].filter(({ writes }) => writes !== undefined);
  if (sides.length > 0 && sides.length < 3) return [];
  const [first, second, now] = [baseline, control, candidate].map(byTarget);
  const targets = new Set([first, second, now].flatMap((side) => [...(side?.keys() ?? [])]));
  return [...targets].flatMap((target) => {
    const [was, again, is] = [first, second, now].map((side) => side?.get(target) ?? []);
    const sides = { was: was ?? [], again: again ?? [], is: is ?? [] };
    const forms = changedForms(target, sides);
    // The form says more about a text than its format does.
    const rows = changedRows(target, sides).filter(
      ({ place }) => !forms.some((one) => one.place === place),
    );
    return [...changedCount(target, sides), ...forms, ...rows];
  });
}

interface Sides {
  readonly was: readonly Write[];
  readonly again: readonly Write[];
  readonly is: readonly Write[];
}

function byTarget({ writes = [] }: VersionRecording): Map<string, Write[]> {
  return Map.groupBy(writes, ({ store, table, kind }) => `${kind} ${store}.${table}`);
}

/** Only if the two known runs agree on the number. */
function changedCount(target: string, { was, again, is }: Sides): Difference[] {
  if (was.length !== again.length || is.length === was.length) return [];
  const [example] = [...is, ...was] as [Write];
  const what =
    is.length === 0 ? 'write-missing' : was.length === 0 ? 'write-new' : writesMoreOrLess(was, is);
  return [
    {
      class: 'writes',
      what,
      service: example.service,
      hop: null,
      place: target,
      before: `${was.length} rows`,
      after: `${is.length} rows`,
      examples: { before: was[0]?.row ?? null, after: is[0]?.row ?? null },
      severity: 'fail',
      confidence: certaintyOf(was.length + again.length),
    },
  ];
}

function writesMoreOrLess(was: readonly Write[], is: readonly Write[]): string {
  return is.length > was.length ? 'write-repeated' : 'write-missing';
}

/** A text that is made of ids, such as a key, in another way than in both known runs. */
function changedForms(target: string, { was, again, is }: Sides): Difference[] {
  const columns = new Set(was.flatMap(({ forms = {} }) => Object.keys(forms)));
  return [...columns].flatMap((column) => {
    const [before, control, after] = [was, again, is].map((writes) => formsIn(writes, column));
    const added = [...(after ?? [])].find((form) => !before?.has(form));
    const isSteady = before?.size === control?.size && [...(before ?? [])].every(isIn(control));
    if (added === undefined || !isSteady) return [];
    const known = [...(before ?? [])].join(' or ');
    return [
      {
        class: 'writes',
        what: 'form-changed',
        service: is[0]?.service ?? '',
        hop: null,
        place: `${target} ${column}`,
        before: known,
        after: added,
        examples: { before: known, after: added },
        severity: 'fail',
        confidence: certaintyOf(was.length + again.length),
      },
    ];
  });
}

function formsIn(writes: readonly Write[], column: string): Set<string> {
  return new Set(writes.flatMap(({ forms }) => forms?.[column] ?? []));
}

function isIn(some: ReadonlySet<string> | undefined): (one: string) => boolean {
  return (one) => some?.has(one) === true;
}

function changedRows(target: string, { was, again, is }: Sides): Difference[] {
  const rows = (writes: readonly Write[]) => writes.map(({ row }) => row);
  const drifts = findDrift({ baseline: rows(was), control: rows(again), candidate: rows(is) });
  return drifts.map(({ field, ...drift }) => {
    const service = is[0]?.service ?? '';
    return { class: 'writes', service, hop: null, place: `${target} ${field}`, ...drift };
  });
}
