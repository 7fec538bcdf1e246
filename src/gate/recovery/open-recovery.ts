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
import { type Draft, type Ledger, type ReadRows, readRow } from '../../ledger/index.ts';
import { agentOf } from '../ask.ts';
import type { ExpressionInput } from '../decision/index.ts';
import type { GateDeps } from '../gate-deps.ts';
import type { CompiledContract } from '../language/index.ts';
import { executorKey, type ProposalRow, proposalKey, subjectOf } from '../proposals.ts';
import {
  type Ending,
  factsOf,
  type SettlementTarget,
  settledFacts,
  settlementKeys,
} from '../settlement.ts';

/** The effects of recovery are proposals like any other. */
export interface RecoveryDeps extends GateDeps {
  readonly propose: (proposal: Proposal) => Promise<Outcome>;
}

/** The end of a proposal before recovery. */
export interface ProposalEnd {
  readonly outcome: Outcome;
  readonly violations: readonly string[];
  /** When it was recorded: recovery has its time from then on. */
  readonly at: Instant;
  /** Only an executor says so, and its contract does not trust it. */
  readonly isClaimed?: boolean;
}

/** What is known so far: whether the effect took place, and the last read. */
export interface RecoveryFacts {
  readonly ended: ProposalEnd;
  readonly found: 'unknown' | 'failed' | 'committed';
  readonly read: Json | undefined;
}

/** A proposal with an unknown or bad outcome, and everything that its recovery needs. */
export interface Recovery {
  readonly row: ProposalRow;
  readonly settling: SettlementTarget;
  /** The values of its contract's expressions. */
  readonly evaluated: ExpressionInput;
  /** Null if policy or arguments changed; then only a person can resolve it. */
  readonly contract: CompiledContract | null;
}

export const recoverer: Actor = 'surety:recovery';

/** `known` are the original arguments, if the caller still has them. */
export async function openRecovery(
  proposal: string,
  deps: GateDeps,
  known?: JsonObject,
): Promise<Recovery> {
  const row = await readRow<ProposalRow>(deps.ledger, proposalKey(proposal));
  if (!row) throw fault('NOT_FOUND', { what: `proposal ${proposal}` });
  const contents = await deps.ledger.contents(row.grantSeq);
  const subject = subjectOf(contents, proposal);
  const value = (wanted: string): JsonObject =>
    (contents.find(({ name }) => name === wanted)?.value ?? {}) as JsonObject;
  const policy = deps.policies.current;
  const actor = row.actor as Actor;
  const contract = policy?.contracts.get(row.tool) ?? null;
  const given = { arguments: known ?? value('arguments'), reads: value('reads') };
  const isNative = deps.isNative(row.tool);
  const evaluated = { actor, agent: agentOf(actor, policy), policy, contract, isNative, ...given };
  // Secrets were redacted from the stored arguments, or they were destroyed. No tool may be called
  // with arguments that differ from the granted ones.
  const isWhole = sha256(canonicalJson(given.arguments)) === row.argumentsHash;
  const settling = { ...row, actor, subject };
  return { row, settling, evaluated, contract: isWhole ? contract : null };
}

/** The variables of recovery expressions. */
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

/** Writes only if no other process took over this recovery. */
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

/** The end of a recovery. Settles the reservations unless the outcome already did. */
export function closingDraft(
  { row, settling }: Recovery,
  kind: 'proposal-reconciled' | 'proposal-compensated',
  ending: Pick<Ending, 'actual' | 'isClaimed'>,
  more: JsonObject,
): Draft {
  const isSettled = row.status === 'committed';
  const settled = isSettled ? {} : settledFacts(settling, ending);
  return { kind, actor: recoverer, body: { ...factsOf(settling), ...settled, ...more } };
}
