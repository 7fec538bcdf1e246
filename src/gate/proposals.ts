import { type Actor, type Instant, type Json, sha256 } from '../kernel/index.ts';
import type { Content, Entry, Projection, Rows } from '../ledger/index.ts';
import type { Charge } from './accounts/index.ts';
import { loopKey } from './loops.ts';
import { taskOf } from './tasks/entry-task.ts';

export type ProposalStatus =
  | 'granted'
  | 'executing'
  | 'committed'
  | 'failed'
  | 'unknown'
  | 'compensated';

export type LeaseRecord = { readonly resource: string; readonly fence: number };

/** A granted proposal. */
export type ProposalRow = {
  readonly proposal: string;
  readonly actor: string;
  readonly tool: string;
  readonly status: ProposalStatus;
  readonly argumentsHash: string;
  /** The executor: the state directory of a daemon (not its process), or an outside one. */
  readonly executor: string;
  /** The entry with its arguments, and the one with its outcome (0 while it is open). */
  readonly grantSeq: number;
  readonly outcomeSeq: number;
  /** When an unsettled grant expires; 0 if its executor runs in this process. */
  readonly expiresAt: Instant;
  readonly charges: readonly Charge[];
  readonly leases: readonly LeaseRecord[];
  /** The number of recovery steps begun; null if there is nothing to recover. */
  readonly recovery: number | null;
  /** What recovery found out so far: whether the effect took place. */
  readonly found: string | null;
  /** The daemon that began its recovery; others leave it alone. */
  readonly recoveredBy?: string;
  readonly idempotency?: string;
  readonly task?: string;
  readonly taskPath?: readonly string[];
  readonly trajectory?: string;
  /** Its executor has begun it. */
  readonly redeemed?: boolean;
  /** The entry with the last report of its executor that contradicts the outcome. */
  readonly refusedReport?: number;
  /** The row of its agent's recent calls, if loops count it. */
  readonly loops?: string;
};

/** The proposal of an idempotency key, and when the key expires; absent for never. */
export type KeyRow = { readonly proposal: string; readonly until?: Instant };

/** Whether the outcome is final: settled, or left to a person. */
export function isOver({ outcomeSeq, recovery, found }: ProposalRow): boolean {
  return outcomeSeq > 0 && (recovery === null || found === 'held');
}

/** Whether nobody will ever find out how it ended. */
export function isLost({ recovery, status }: ProposalRow): boolean {
  return recovery === null && status === 'unknown';
}

export const proposalKey = (proposal: string): string => `proposal/${proposal}`;
export const openPrefix = (executor: string): string => `open-proposal/${executor}/`;
/** Proposals with an unknown outcome or an unfinished recovery. */
export const unresolvedPrefix = 'unresolved-proposal/';

/** The subject that the caller named, with which everything stored about the call is destroyed. */
export function subjectOf(grantContents: readonly Content[], proposal: string): string {
  return grantContents.find(({ name }) => name === 'arguments')?.subject ?? proposal;
}

/** The executor of grants for outside executors. */
export const outside = 'outside';

const idempotencyPrefix = 'idempotency/';

/** One key means one action with one tool. Hashed, because callers choose its text. */
export function idempotencyKey(owner: Actor | 'contract', tool: string, key: string): string {
  return idempotencyPrefix + sha256(`${owner}\n${tool}\n${key}`);
}

/** The key that executors get: the same for every attempt, without any text of the caller. */
export function executorKey(idempotency: string): string {
  return idempotency.slice(idempotencyPrefix.length);
}

const settles: Readonly<Record<string, ProposalStatus>> = {
  'proposal-committed': 'committed',
  'proposal-failed': 'failed',
  'proposal-unknown': 'unknown',
  'proposal-compensated': 'compensated',
};

/** Every proposal, the open and unresolved ones, and the proposal of each idempotency key. */
export const proposals: Projection = {
  kinds: [
    'proposal-granted',
    'proposal-executing',
    'proposal-reconciled',
    'recovery-stepped',
    'report-refused',
    ...Object.keys(settles),
  ],
  keys: ({ kind, body }) => {
    const proposal = String(body.proposal);
    const isKeyed = kind === 'proposal-granted' && body.idempotency !== undefined;
    return [
      proposalKey(proposal),
      openPrefix(String(body.executor)) + proposal,
      unresolvedPrefix + proposal,
      ...(isKeyed ? [String(body.idempotency)] : []),
    ];
  },
  apply: (rows, entry) => {
    if (entry.kind === 'proposal-granted') return grant(rows, entry);
    const row = rows.get<ProposalRow>(proposalKey(String(entry.body.proposal)));
    if (row) write(rows, moved(row, entry), row);
  },
};

function grant(rows: Rows, { body, actor, seq }: Entry): void {
  // In the order in which they are stored, as sorting takes time with every call.
  const row: ProposalRow = {
    actor,
    argumentsHash: String(body.argumentsHash),
    charges: list<Charge>(body.charges),
    executor: String(body.executor),
    expiresAt: Number(body.expiresAt ?? 0),
    found: null,
    grantSeq: seq,
    leases: list<LeaseRecord>(body.leases).map(({ resource, fence }) => ({ resource, fence })),
    outcomeSeq: 0,
    proposal: String(body.proposal),
    recovery: null,
    status: 'granted',
    tool: String(body.tool),
    ...optional(body),
    ...(body.call ? { loops: loopKey(actor) as string } : {}),
  };
  write(rows, row, null);
  if (!row.idempotency) return;
  const until = body.keyUntil === undefined ? {} : { until: Number(body.keyUntil) };
  rows.set(row.idempotency, { proposal: row.proposal, ...until });
}

function optional(body: Entry['body']): Partial<ProposalRow> {
  const task = taskOf(body);
  return {
    ...(body.idempotency ? { idempotency: String(body.idempotency) } : {}),
    ...(task ? { task } : {}),
    ...(body.taskPath ? { taskPath: list<string>(body.taskPath) } : {}),
    ...(body.trajectory ? { trajectory: String(body.trajectory) } : {}),
  };
}

function moved(row: ProposalRow, { kind, body, seq }: Entry): ProposalRow {
  switch (kind) {
    case 'proposal-executing':
      // Entries of earlier versions name no policy.
      return { ...row, status: 'executing', ...('policy' in body ? { redeemed: true } : {}) };
    case 'report-refused':
      return { ...row, refusedReport: seq };
    case 'recovery-stepped':
      return {
        ...row,
        recovery: Number(body.step),
        found: (body.found as string) ?? row.found,
        ...(body.by ? { recoveredBy: String(body.by) } : {}),
        leases: row.leases
          .map((held) => list<LeaseRecord>(body.leases).find(isOf(held)) ?? held)
          .map(({ resource, fence }) => ({ resource, fence })),
      };
    case 'proposal-reconciled':
      return { ...row, status: body.as as ProposalStatus, outcomeSeq: seq, recovery: null };
    default: {
      const status = settles[kind] as ProposalStatus;
      // Its reservations stay until its recovery is done.
      const recovery = body.recovers ? (row.recovery ?? 0) : null;
      return { ...row, status, outcomeSeq: seq, recovery };
    }
  }
}

function write(rows: Rows, row: ProposalRow, before: ProposalRow | null): void {
  rows.set(proposalKey(row.proposal), row);
  const isOpen = row.status === 'granted' || row.status === 'executing';
  const wasOpen = before?.status === 'granted' || before?.status === 'executing';
  const openKey = openPrefix(row.executor) + row.proposal;
  if (isOpen && !wasOpen) rows.set(openKey, { expiresAt: row.expiresAt });
  if (wasOpen && !isOpen) rows.set(openKey, undefined);
  const isUnresolved = row.recovery !== null;
  const wasUnresolved = (before?.recovery ?? null) !== null;
  const unresolvedKey = unresolvedPrefix + row.proposal;
  if (isUnresolved) rows.set(unresolvedKey, { step: row.recovery, found: row.found });
  else if (wasUnresolved) rows.set(unresolvedKey, undefined);
}

const isOf =
  ({ resource }: LeaseRecord) =>
  (other: LeaseRecord): boolean =>
    other.resource === resource;

function list<Item>(value: Json | undefined): readonly Item[] {
  return (value ?? []) as readonly Item[];
}
