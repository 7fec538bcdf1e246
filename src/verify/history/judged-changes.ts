import { fault } from '../../kernel/index.ts';
import { changeId } from '../../lanes/index.ts';
import type { Ledger, Projection } from '../../ledger/index.ts';
import type { Profile, SubmittedTest } from '../api-schema.ts';
import { isFailedAgain, type Shingle } from './failed-changes.ts';

/** The content of an entry that says what exactly was judged. */
export const judgedContent = 'judged';

/** The last verdict about a change. */
export type JudgedRow = {
  readonly change: string;
  readonly base: string;
  readonly id: string;
  readonly verdict: string;
  readonly seq: number;
  readonly at: number;
  /** The verdict by which it ever failed. Asked often enough, chance would let anything pass. */
  readonly failedBy: string | null;
  /** Where in the ledger that stands, or 0: what passed before it no longer counts. */
  readonly failedSeq: number;
};

const judgedKey = (change: string): string => `judged-change/${change}`;

export const judgedChanges: Projection = {
  kinds: ['verdict-reached'],
  keys: ({ body }) => [judgedKey(String(body.change))],
  apply: (rows, { body, seq, at }) => {
    const { change, base, id, verdict } = body as Record<string, string>;
    const key = judgedKey(String(change));
    const before = rows.get<JudgedRow>(key);
    const isFailed = verdict === 'fail';
    const failedBy = isFailed ? id : (before?.failedBy ?? null);
    const failedSeq = isFailed ? seq : (before?.failedSeq ?? 0);
    rows.set(key, { change, base, id, verdict, seq, at, failedBy, failedSeq } as JudgedRow);
  },
};

/** What was judged under this name: the same bytes, on the same version, with the same test. */
export type Judged = {
  readonly patch: string;
  readonly base: string;
  readonly test?: SubmittedTest;
};

export async function findJudged(
  change: string,
  ledger: Pick<Ledger, 'rows' | 'contents'>,
): Promise<Judged> {
  const row = await lastJudged(change, ledger);
  if (!row) throw fault('NOT_FOUND', { what: `change ${change}` });
  const { seq } = row;
  const found = (await ledger.contents(seq)).find(({ name }) => name === judgedContent);
  if (found?.value === undefined) throw fault('CONTENT_SHREDDED', { name: judgedContent, seq });
  return checkWhole(found.value as Judged, change);
}

/**
 * How closely a task's change is looked at: one that failed before, or that does nearly all
 * of what one that failed did, under whichever task, passes by nothing less than all there is.
 */
export async function profileAgain(
  { change, shingles }: { readonly change: string | null; readonly shingles: readonly Shingle[] },
  wanted: Profile | undefined,
  ledger: Pick<Ledger, 'rows'>,
): Promise<Profile | undefined> {
  const row = change === null ? undefined : await lastJudged(change, ledger);
  return row?.failedBy || (await isFailedAgain(shingles, ledger)) ? 'full' : wanted;
}

export async function lastJudged(
  change: string,
  ledger: Pick<Ledger, 'rows'>,
): Promise<JudgedRow | undefined> {
  const key = judgedKey(change);
  for await (const row of ledger.rows<JudgedRow>(key)) if (row.key === key) return row.value;
  return undefined;
}

/** Nothing is kept before secrets were taken out of it: what is left is then another change. */
function checkWhole(judged: Judged, change: string): Judged {
  if (changeId(judged) === change) return judged;
  throw fault('CHANGE_INVALID', { reason: 'it held a secret, and those are not kept' });
}
