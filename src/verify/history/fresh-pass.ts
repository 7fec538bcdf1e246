import { type Actor, type Clock, fault, type Instant } from '../../kernel/index.ts';
import { type Ledger, type Projection, readRow } from '../../ledger/index.ts';
import { activeDisputes } from './disputes.ts';
import { lastJudged } from './judged-changes.ts';

/** A verdict of `pass`. */
type Pass = {
  readonly id: string;
  readonly at: Instant;
  readonly seq: number;
  /** Findings that did not count because somebody disputed them. */
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

/** The change that a task would promote, and its verdict. */
interface PassedChange {
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

/** Throws if a pass has lapsed; the task then has to verify its change again. */
export async function checkFresh(
  actor: Actor,
  passed: PassedChange,
  context: PassContext,
): Promise<void> {
  const why = await lapseOf(passed, context);
  if (why === null) return;
  const { task, change, verdict } = passed;
  const body = { task, change, verdict, why };
  await context.ledger.append({ kind: 'verdict-lapsed', actor, body });
  throw fault('VERDICT_LAPSED', { verdict: verdict ?? 'none', why });
}

/** The last verdict on exactly this change if it is a pass that counts, or why there is none. */
export async function freshPass(
  change: string,
  context: PassContext,
): Promise<{ readonly verdict: string } | { readonly why: string }> {
  const last = await lastJudged(change, context.ledger);
  if (!last) return { why: 'it was never verified' };
  const { id: verdict } = last;
  if (last.verdict !== 'pass') return { why: `its last verdict, ${verdict}, is ${last.verdict}` };
  const { suites, recorded } = (await context.ledger.entry(last.seq)).body;
  if (suites !== undefined) return { why: `${verdict} ran some of the suites only` };
  if (recorded === false) return { why: `${verdict} left out the recorded traffic` };
  const lapse = await lapseOf({ change, verdict }, context);
  return lapse === null ? { verdict } : { why: `${verdict} no longer counts: ${lapse}` };
}

/** Why a pass has lapsed; null if it has not. */
async function lapseOf(
  { change, verdict }: Pick<PassedChange, 'change' | 'verdict'>,
  { ledger, clock, config }: PassContext,
): Promise<string | null> {
  const pass = verdict === null ? undefined : await findPass(verdict, ledger);
  if (!pass) return 'it is unknown';
  const { passHours } = config.promotion;
  const now = clock.now();
  if (now - pass.at > passHours * hourMs) return `it is older than ${passHours} hours`;
  const active = new Set((await activeDisputes(ledger, now)).map(({ finding }) => finding));
  const undisputed = pass.disputed.find((finding) => !active.has(finding));
  if (undisputed !== undefined) return `the dispute of ${undisputed} has ended`;
  const last = change === null ? undefined : await lastJudged(change, ledger);
  // Any failure since counts, not only the last verdict: a short deadline makes it inconclusive.
  if (!last?.failedBy || last.failedSeq < pass.seq) return null;
  return `the same change has failed since, in ${last.failedBy}`;
}

function findPass(verdict: string, ledger: Ledger): Promise<Pass | undefined> {
  return readRow(ledger, passKey(verdict));
}
