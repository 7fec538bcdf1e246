import { type Actor, sha256 } from '../kernel/index.ts';
import type { Entry, Projection, Rows } from '../ledger/index.ts';

export type ProposalStatus = 'granted' | 'committed' | 'failed' | 'unknown';

/** What the ledger knows of a proposal that was granted. */
export type ProposalRow = {
  readonly proposal: string;
  readonly status: ProposalStatus;
  readonly argumentsHash: string;
  /** Who executes it: the state directory of a daemon, not its process. */
  readonly executor: string;
  /** The entry that says how it ended; 0 while it is open. */
  readonly outcomeSeq: number;
  readonly idempotency?: string;
};

export const proposalKey = (proposal: string): string => `proposal/${proposal}`;
export const openPrefix = (executor: string): string => `open-proposal/${executor}/`;

/** One key means one action of one actor with one tool; hashed, since callers choose its text. */
export function idempotencyKey(actor: Actor, tool: string, key: string): string {
  return `idempotency/${sha256(`${actor}\n${tool}\n${key}`)}`;
}

const statusOfKind: Record<string, ProposalStatus> = {
  'proposal-committed': 'committed',
  'proposal-failed': 'failed',
  'proposal-unknown': 'unknown',
};

/** Every proposal, which ones are open, and the one that an idempotency key stands for. */
export const proposals: Projection = {
  kinds: ['proposal-granted', ...Object.keys(statusOfKind)],
  keys: ({ body }) => [
    proposalKey(String(body.proposal)),
    openPrefix(String(body.executor)) + String(body.proposal),
    ...(body.idempotency ? [String(body.idempotency)] : []),
  ],
  apply: (rows, entry) => {
    if (entry.kind === 'proposal-granted') grant(rows, entry);
    else settle(rows, entry, statusOfKind[entry.kind] as ProposalStatus);
  },
};

function grant(rows: Rows, { body }: Entry): void {
  const row: ProposalRow = {
    proposal: String(body.proposal),
    status: 'granted',
    argumentsHash: String(body.argumentsHash),
    executor: String(body.executor),
    outcomeSeq: 0,
    ...(body.idempotency ? { idempotency: String(body.idempotency) } : {}),
  };
  write(rows, row);
  rows.set(openPrefix(row.executor) + row.proposal, row);
}

function settle(rows: Rows, { body, seq }: Entry, status: ProposalStatus): void {
  const row = rows.get<ProposalRow>(proposalKey(String(body.proposal)));
  if (!row) return;
  write(rows, { ...row, status, outcomeSeq: seq });
  rows.set(openPrefix(row.executor) + row.proposal, undefined);
}

/** Under its key too, so that a repeated proposal is decided with one look. */
function write(rows: Rows, row: ProposalRow): void {
  rows.set(proposalKey(row.proposal), row);
  if (row.idempotency) rows.set(row.idempotency, row);
}
