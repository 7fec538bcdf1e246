import { type Actor, type Clock, fault, type Instant } from '../../kernel/index.ts';
import type { Ledger, Projection } from '../../ledger/index.ts';
import { activeDisputes } from './disputes.ts';
import { lastJudged } from './judged-changes.ts';

/** A verdict that was `pass`. */
export type Pass = {
  readonly id: string;
  readonly at: Instant;
  readonly seq: number;
  /** What was found all the same, and counted for nothing since somebody disputed it. */
  readonly disputed: readonly string[];
};

const passKey = (verdict: string): string => `pass/${verdict}`;

export const passes: Projection = {
  kinds: ['verdict-reached'],
  keys: ({ body }) => (body.verdict === 'pass' ? [passKey(String(body.id))] : []),
  apply: (rows, { body, at, seq }) => {
    if (body.verdict !== 'pass') return;
    const disputed = Array.isArray(body.disputed) ? body.disputed.map(String) : [];
    const row: Pass = { id: String(body.id), at, seq, disputed };
    rows.set(passKey(row.id), row);
  },
};

/** What a task would promote, and by which verdict. */
interface Passed {
  readonly task: string;
  readonly change: string | null;
  readonly verdict: string | null;
}

interface PassContext {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly config: { readonly promotion: { readonly passHours: number } };
}

const hourMs = 60 * 60 * 1_000;

/** Throws for a pass that no longer counts; the task then goes back to have it verified again. */
export async function checkFresh(
  actor: Actor,
  passed: Passed,
  context: PassContext,
): Promise<void> {
  const why = await lapseOf(passed, context);
  if (why === null) return;
  const { task, change, verdict } = passed;
  const body = { task, change, verdict, why };
  await context.ledger.append({ kind: 'verdict-lapsed', actor, body });
  throw fault('VERDICT_LAPSED', { verdict: verdict ?? 'none', why });
}

/** Why a pass no longer counts; null for one that does. */
async function lapseOf(
  { change, verdict }: Passed,
  { ledger, clock, config }: PassContext,
): Promise<string | null> {
  const pass = verdict === null ? undefined : await findPass(verdict, ledger);
  if (!pass) return 'nothing is known of it';
  const { passHours } = config.promotion;
  const now = clock.now();
  if (now - pass.at > passHours * hourMs) return `it is older than ${passHours} hours`;
  const active = new Set((await activeDisputes(ledger, now)).map(({ finding }) => finding));
  const bare = pass.disputed.find((finding) => !active.has(finding));
  if (bare !== undefined) return `nobody disputes ${bare} any more`;
  const last = change === null ? undefined : await lastJudged(change, ledger);
  // Not by the last verdict: whoever sets a short time gets one that says nothing.
  if (!last?.failedBy || last.failedSeq < pass.seq) return null;
  return `the same change failed since, by ${last.failedBy}`;
}

async function findPass(verdict: string, ledger: Ledger): Promise<Pass | undefined> {
  const key = passKey(verdict);
  for await (const row of ledger.rows<Pass>(key)) if (row.key === key) return row.value;
  return undefined;
}
