import { type Actor, fault, type Instant } from '../../kernel/index.ts';
import { changeId } from '../../lanes/index.ts';
import { type Entry, type Ledger, type Projection, readRow } from '../../ledger/index.ts';
import type { Profile, SubmittedTest } from '../api-schema.ts';
import type { ListedVerdict } from './api-schema.ts';
import { isFailedAgain, type Shingle } from './failed-changes.ts';

/** The content of an entry that holds what was judged. */
export const judgedContent = 'judged';

/** The last verdict on a change. */
type JudgedRow = {
  readonly change: string;
  readonly base: string;
  readonly id: string;
  readonly verdict: string;
  readonly seq: number;
  readonly at: number;
  /** The verdict in which it failed. Repeated often enough, any change would pass by chance. */
  readonly failedBy: string | null;
  /** The entry of that verdict, or 0; a pass before it no longer counts. */
  readonly failedSeq: number;
};

const judgedPrefix = 'judged-change/';
const judgedKey = (change: string): string => judgedPrefix + change;

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

/** What was judged under this id: the same bytes on the same base with the same test. */
export type JudgedChange = {
  readonly patch: string;
  readonly base: string;
  readonly test?: SubmittedTest;
};

export async function findJudgedChange(
  change: string,
  ledger: Pick<Ledger, 'rows' | 'contents'>,
): Promise<JudgedChange> {
  const row = await lastJudged(change, ledger);
  if (!row) throw fault('NOT_FOUND', { what: `change ${change}` });
  const { seq } = row;
  const found = (await ledger.contents(seq)).find(({ name }) => name === judgedContent);
  if (found?.value === undefined) throw fault('CONTENT_SHREDDED', { name: judgedContent, seq });
  return checkWhole(found.value as JudgedChange, change);
}

/**
 * The profile of a task's change: `full` if it failed before, or repeats nearly all of a change
 * that failed, in any task.
 */
export async function profileAgain(
  { change, shingles }: { readonly change: string | null; readonly shingles: readonly Shingle[] },
  wanted: Profile | undefined,
  ledger: Pick<Ledger, 'rows'>,
): Promise<Profile | undefined> {
  const row = change === null ? undefined : await lastJudged(change, ledger);
  return row?.failedBy || (await isFailedAgain(shingles, ledger)) ? 'full' : wanted;
}

export function lastJudged(
  change: string,
  ledger: Pick<Ledger, 'rows'>,
): Promise<JudgedRow | undefined> {
  return readRow(ledger, judgedKey(change));
}

/** The last verdict on each change since then, newest first. */
export async function judgedSince(
  since: Instant,
  ledger: Pick<Ledger, 'rows'>,
): Promise<JudgedRow[]> {
  const judged: JudgedRow[] = [];
  for await (const { value } of ledger.rows<JudgedRow>(judgedPrefix)) judged.push(value);
  return judged.filter(({ at }) => at >= since).sort((one, other) => other.seq - one.seq);
}

/** The last verdict on each change, newest first; an agent gets its own. */
export async function listVerdicts(
  actor: Actor,
  limit: number,
  ledger: Pick<Ledger, 'rows' | 'entry'>,
): Promise<ListedVerdict[]> {
  const judged = await judgedSince(0, ledger);
  const listed: ListedVerdict[] = [];
  for (const row of judged) {
    if (listed.length === limit) break;
    const entry = await ledger.entry(row.seq);
    if (actor.startsWith('agent:') && entry.actor !== actor) continue;
    listed.push(showRow(row, entry));
  }
  return listed;
}

function showRow({ id, at, verdict, change, base }: JudgedRow, { actor, body }: Entry) {
  const services = Array.isArray(body.services) ? body.services.map(String) : [];
  const reason = String(body.reason ?? '');
  return {
    id,
    at,
    verdict: verdict as ListedVerdict['verdict'],
    reason,
    change,
    base,
    services,
    actor,
  };
}

/** The ledger stores patches without secrets; a redacted patch is another change. */
function checkWhole(judged: JudgedChange, change: string): JudgedChange {
  if (changeId(judged) === change) return judged;
  throw fault('CHANGE_INVALID', { reason: 'it contained a secret, which is not stored' });
}
