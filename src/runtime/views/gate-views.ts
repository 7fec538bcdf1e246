import {
  type ApprovalRow,
  approvalPrefix,
  type ProposalRow,
  proposalKey,
  recordedOutcome,
  type StopsRow,
  stopsKey,
  unresolvedPrefix,
} from '../../gate/index.ts';
import type { OperationResponse } from '../../http/contract.ts';
import {
  type Actor,
  fault,
  identifierTime,
  type Json,
  type JsonObject,
} from '../../kernel/index.ts';
import { type Content, type Entry, type Ledger, readRow } from '../../ledger/index.ts';
import { runtimeLimits } from '../limits.ts';
import { firstSince } from './find-entry.ts';

interface ViewDeps {
  readonly ledger: Ledger;
  readonly clock: { now(): number };
}

type ShownApproval = OperationResponse<'GET /v1/approvals/{approval}'>;

export async function listApprovals(deps: ViewDeps): Promise<ShownApproval[]> {
  const shown: ShownApproval[] = [];
  for await (const { value } of deps.ledger.rows<ApprovalRow>(approvalPrefix)) {
    const approval = await showRow(value, deps);
    if (approval.status === 'waiting') shown.push(approval);
  }
  return shown;
}

export async function showApproval(
  approval: string,
  actor: Actor,
  deps: ViewDeps,
): Promise<ShownApproval> {
  const isOne = approvalPattern.test(approval);
  const row = isOne && (await readRow<ApprovalRow>(deps.ledger, approvalPrefix + approval));
  if (!row || !mayLook(actor, row.actor))
    throw fault('NOT_FOUND', { what: `approval ${approval}` });
  return showRow(row, deps);
}

const approvalPattern = /^appr_[0-9a-f]{32}$/;

async function showRow(row: ApprovalRow, { ledger, clock }: ViewDeps): Promise<ShownApproval> {
  const { heldSeq, withinMs: _, ...shown } = row;
  const isOver = row.status === 'waiting' && clock.now() >= row.expiresAt;
  const given = contentValue(await ledger.contents(heldSeq), 'arguments');
  return { ...shown, status: isOver ? 'expired' : row.status, arguments: given };
}

/** An agent sees its own proposals; people see all. */
function mayLook(actor: Actor, owner: string): boolean {
  return !actor.startsWith('agent:') || actor === owner;
}

export async function listStops({ ledger }: ViewDeps) {
  const row = (await readRow<StopsRow>(ledger, stopsKey)) ?? {};
  return Object.entries(row).map(([scope, stop]) => ({ scope, ...stop }));
}

export async function listUnresolved({ ledger }: ViewDeps, actor: Actor) {
  const found: OperationResponse<'GET /v1/proposals'>['proposals'][number][] = [];
  for await (const { key } of ledger.rows<JsonObject>(unresolvedPrefix)) {
    const row = await readRow<ProposalRow>(ledger, proposalKey(key.slice(unresolvedPrefix.length)));
    if (!row || !mayLook(actor, row.actor)) continue;
    const { proposal, tool, status, recovery, found: known } = row;
    found.push({ proposal, actor: row.actor, tool, status, recovery, found: known });
  }
  return found;
}

const decisions: Readonly<Record<string, 'allow' | 'deny' | 'hold'>> = {
  'proposal-granted': 'allow',
  'proposal-denied': 'deny',
  'proposal-held': 'hold',
};

/** All ledger entries about one proposal. */
export async function explainProposal(
  proposal: string,
  actor: Actor,
  deps: ViewDeps,
): Promise<OperationResponse<'GET /v1/proposals/{proposal}'>> {
  const history = await proposalHistory(proposal, deps.ledger);
  const decided = history.find(({ kind }) => Object.hasOwn(decisions, kind));
  if (!decided || !mayLook(actor, decided.actor)) {
    throw fault('NOT_FOUND', { what: `proposal ${proposal}` });
  }
  const { body } = decided;
  const contents = await deps.ledger.contents(decided.seq);
  const row = await readRow<ProposalRow>(deps.ledger, proposalKey(proposal));
  return {
    proposal,
    actor: decided.actor,
    tool: String(body.tool),
    decision: decisions[decided.kind] ?? 'deny',
    status: row?.status ?? decided.kind.slice('proposal-'.length),
    arguments: contentValue(contents, 'arguments'),
    argumentsHash: String(body.argumentsHash),
    policy: (body.policy ?? null) as string | null,
    said: (contentValue(contents, 'said') ?? []) as never,
    wouldBe: (body.wouldBe ?? null) as string | null,
    charges: body.charges ?? [],
    history: history.map(({ seq, at, kind, actor: by }) => ({ seq, at, kind, actor: by })),
    refusedReport: row?.refusedReport ? await showReport(row.refusedReport, deps.ledger) : null,
  };
}

async function showReport(seq: number, ledger: Ledger) {
  const { at, body } = await ledger.entry(seq);
  return { seq, at, reported: String(body.reported) };
}

/** The recorded outcome: asking again executes nothing. */
export async function showOwnOutcome(
  proposal: string,
  actor: Actor,
  { ledger }: ViewDeps,
): Promise<OperationResponse<'GET /v1/proposals/{proposal}/outcome'>> {
  const isOne = identifierTime(proposal, 'prop') !== undefined;
  const row = isOne ? await readRow<ProposalRow>(ledger, proposalKey(proposal)) : undefined;
  if (!row || !mayLook(actor, row.actor))
    throw fault('NOT_FOUND', { what: `proposal ${proposal}` });
  const { status } = row;
  if (row.outcomeSeq === 0) return { proposal, status, value: null, fault: null };
  const outcome = await recordedOutcome(ledger, row);
  return {
    proposal,
    status: outcome.status,
    value: outcome.status === 'committed' ? outcome.value : null,
    fault: outcome.status === 'failed' ? outcome.fault.report() : null,
  };
}

function contentValue(contents: readonly Content[], wanted: string): Json {
  return contents.find(({ name }) => name === wanted)?.value ?? null;
}

/** The entries about one proposal, its decision first; none if there is no such proposal. */
async function proposalHistory(proposal: string, ledger: Ledger): Promise<Entry[]> {
  const madeAt = identifierTime(proposal, 'prop');
  if (madeAt === undefined) return [];
  const row = await readRow<ProposalRow>(ledger, proposalKey(proposal));
  const { seq: last } = await ledger.head();
  const found: Entry[] = [];
  // No entry about a proposal is older than its id.
  let from = row?.grantSeq ?? (await firstSince(madeAt, last, ledger));
  const first = from;
  while (from <= last && !isOver(row, found, first, from)) {
    const page = await ledger.entries(from, pageEntries);
    found.push(...page.filter(({ body }) => body.proposal === proposal));
    from = (page.at(-1)?.seq ?? last) + 1;
  }
  return found;
}

const pageEntries = 1_000;

/** Whether no further entry about it can follow; an invented id must be cheap. */
function isOver(
  row: ProposalRow | undefined,
  found: readonly Entry[],
  first: number,
  from: number,
): boolean {
  if (row) return row.outcomeSeq > 0 && row.recovery === null && from > row.outcomeSeq;
  const kinds = found.map(({ kind }) => kind);
  if (kinds.includes('proposal-denied')) return true;
  // A person may answer much later.
  if (kinds.includes('proposal-held')) return false;
  return from - first >= runtimeLimits.explainEntriesMax;
}
