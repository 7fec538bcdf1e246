import {
  type Actor,
  canonicalJson,
  fault,
  type Instant,
  type Json,
  type JsonObject,
  type Outcome,
  type Proposal,
  sha256,
} from '../../kernel/index.ts';
import type { Draft, Ledger, ReadRows } from '../../ledger/index.ts';
import { agentOf } from '../ask.ts';
import type { ExpressionInput } from '../decision/index.ts';
import type { GateDeps } from '../gate-deps.ts';
import type { CompiledContract } from '../language/index.ts';
import { executorKey, type ProposalRow, proposalKey } from '../proposals.ts';
import { readRow } from '../rows.ts';
import {
  type Ending,
  factsOf,
  type SettlementTarget,
  settledFacts,
  settlementKeys,
} from '../settlement.ts';

/** Recovery has effects of its own, and each is a proposal like any other. */
export interface RecoveryDeps extends GateDeps {
  readonly propose: (proposal: Proposal) => Promise<Outcome>;
}

/** How a proposal ended before anything was put right. */
export interface ProposalEnd {
  readonly outcome: Outcome;
  readonly violations: readonly string[];
  /** The call itself goes on in this process: nothing that is read now is the last word. */
  readonly isRunning?: boolean;
}

/** What is known so far: whether the effect took place, and what was read. */
export interface RecoveryFacts {
  readonly ended: ProposalEnd;
  readonly found: 'unknown' | 'failed' | 'committed';
  readonly read: Json | undefined;
}

/** A proposal that ended in doubt, or badly, with what it takes to put it right. */
export interface Recovery {
  readonly row: ProposalRow;
  readonly settling: SettlementTarget;
  /** What its contract's expressions see. */
  readonly evaluated: ExpressionInput;
  /** Null when policy or arguments are no longer what they were: then only a person can tell. */
  readonly contract: CompiledContract | null;
}

export const recoverer: Actor = 'surety:recovery';

/** `known`: the arguments as they were given, by whoever still has them in hand. */
export async function openRecovery(
  proposal: string,
  deps: GateDeps,
  known?: JsonObject,
): Promise<Recovery> {
  const row = await readRow<ProposalRow>(deps.ledger, proposalKey(proposal));
  if (!row) throw fault('NOT_FOUND', { what: `proposal ${proposal}` });
  const contents = await deps.ledger.contents(row.grantSeq);
  const subject = contents.find(({ name }) => name === 'arguments')?.subject ?? proposal;
  const value = (wanted: string): JsonObject =>
    (contents.find(({ name }) => name === wanted)?.value ?? {}) as JsonObject;
  const policy = deps.policies.current;
  const actor = row.actor as Actor;
  const contract = policy?.contracts.get(row.tool) ?? null;
  const given = { arguments: known ?? value('arguments'), reads: value('reads') };
  const isNative = deps.isNative(row.tool);
  const evaluated = { actor, agent: agentOf(actor, policy), policy, contract, isNative, ...given };
  // Secrets were taken out of what is stored, or all of it was forgotten: nothing may be called
  // with other arguments than were granted.
  const isWhole = sha256(canonicalJson(given.arguments)) === row.argumentsHash;
  const settling = { ...row, actor, subject };
  return { row, settling, evaluated, contract: isWhole ? contract : null };
}

/** The names under which the expressions of recovery find what is known. */
export function recoveryValues(
  { row, evaluated }: Recovery,
  deps: GateDeps,
  read: Json | undefined,
): Record<string, Json> {
  const { idempotency, proposal, found, status } = row;
  return {
    arguments: evaluated.arguments,
    key: idempotency ? executorKey(idempotency) : proposal,
    outcome: { status: found ?? status, code: '' },
    vars: (deps.policies.current?.document.variables ?? {}) as JsonObject,
    ...(read === undefined ? {} : { read }),
  };
}

/** Writes only while it is still this recovery's turn: somebody else may have been faster. */
export function writeStep<Result>(
  ledger: Ledger,
  { row, settling }: Recovery,
  step: number,
  draft: (rows: ReadRows, now: Instant) => Draft,
  result: Result,
): Promise<Result> {
  return ledger.transact({
    keys: settlementKeys(settling),
    decide: (rows, now) => {
      const current = rows.get<ProposalRow>(proposalKey(row.proposal));
      if (current?.recovery !== step) throw fault('RECOVERY_MOVED', { proposal: row.proposal });
      return { drafts: [draft(rows, now)], result: () => result };
    },
  });
}

/** The end of a recovery: what was reserved is settled, unless the outcome had done so. */
export function closingDraft(
  { row, settling }: Recovery,
  kind: 'proposal-reconciled' | 'proposal-compensated',
  actual: Ending['actual'],
  more: JsonObject,
): Draft {
  const isSettled = row.status === 'committed';
  const settled = isSettled ? {} : settledFacts(settling, { actual });
  return { kind, actor: recoverer, body: { ...factsOf(settling), ...settled, ...more } };
}
