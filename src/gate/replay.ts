import {
  canonicalJson,
  type Instant,
  isFault,
  type Json,
  type JsonObject,
  sha256,
} from '../kernel/index.ts';
import {
  type Content,
  type Entry,
  MemoryRows,
  type Projections,
  readContent,
  readEntry,
  type StoreReader,
} from '../ledger/index.ts';
import { agentOf } from './ask.ts';
import { type Decision, type DecisionInput, decide, prepare } from './decision/index.ts';
import type { CompiledPolicy } from './language/index.ts';
import { readPolicyContent } from './policy-content.ts';
import { taskOf } from './tasks/entry-task.ts';

export interface ReplayDifference {
  readonly seq: number;
  readonly proposal: string;
  readonly tool: string;
  readonly actor: string;
  readonly recorded: string;
  readonly now: string;
  readonly change: string;
}

export interface ReplayResult {
  readonly decisions: number;
  /** Decisions with a destroyed or redacted input, which cannot be repeated. */
  readonly forgotten: number;
  /** Decisions for which the other policy needs reads that were not recorded. */
  readonly unread: number;
  /** How many decisions differ; the first of them are listed in full. */
  readonly different: number;
  /** The differences by kind, as in `allow → deny`. */
  readonly changes: Readonly<Record<string, number>>;
  readonly differences: readonly ReplayDifference[];
}

export interface ReplayOptions {
  /** A policy to decide with, instead of the recorded one. */
  readonly policy?: CompiledPolicy;
  readonly since?: Instant;
}

const differencesShown = 20;

const verdicts: Readonly<Record<string, Decision['verdict']>> = {
  'proposal-granted': 'allow',
  'proposal-denied': 'deny',
  'proposal-held': 'hold',
};

/**
 * Repeats every recorded decision with the rows at its place in the chain. A difference means that
 * the decision used something outside of the ledger, or that the rules have changed.
 */
export async function replayDecisions(
  source: StoreReader,
  projections: Projections,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  const rows = new MemoryRows();
  const policies = new Map<string, CompiledPolicy>();
  const counts = { decisions: 0, forgotten: 0, unread: 0, different: 0 };
  const changes: Record<string, number> = {};
  const differences: ReplayDifference[] = [];
  for await (const page of source.scanEntries(0)) {
    for (const stored of page) {
      const entry = readEntry(stored);
      if (entry.kind === 'policy-adopted') await remember(entry, source, policies);
      if (isDecision(entry) && entry.at >= (options.since ?? 0)) {
        counts.decisions++;
        const contents = (await source.contents(entry.seq)).map(readContent);
        if (isForgotten(entry, contents, policies, options)) counts.forgotten++;
        else if (isUnread(entry, contents, options)) counts.unread++;
        else {
          const found = compare(entry, contents, rows, policies, options);
          if (found) {
            counts.different++;
            changes[found.change] = (changes[found.change] ?? 0) + 1;
          }
          if (found && differences.length < differencesShown) differences.push(found);
        }
      }
      projections.apply(rows, entry);
    }
  }
  return { ...counts, changes, differences };
}

/** A reused key is refused by its row alone, so there is no decision to repeat. */
function isDecision({ kind, body }: Entry): boolean {
  return Object.hasOwn(verdicts, kind) && body.code !== 'PROPOSAL_KEY_REUSED';
}

/** A policy that was destroyed, or does not match its hash, cannot decide again. */
async function remember(
  { seq, body }: Entry,
  source: StoreReader,
  policies: Map<string, CompiledPolicy>,
): Promise<void> {
  const contents = (await source.contents(seq)).map(readContent);
  const hash = String(body.hash);
  try {
    policies.set(hash, readPolicyContent(contents, hash, seq));
  } catch (error) {
    if (!isFault(error)) throw error;
  }
}

/** Redacted values do not have the hash that was decided on. */
function isForgotten(
  { body }: Entry,
  contents: readonly Content[],
  policies: ReadonlyMap<string, CompiledPolicy>,
  { policy }: ReplayOptions,
): boolean {
  if (contents.some(({ shreddedBy }) => shreddedBy !== undefined)) return true;
  if (!policy && (body.policy ?? null) !== null && !policies.has(String(body.policy))) return true;
  const isOther = (name: string, hash: Json | undefined): boolean =>
    hash !== undefined && sha256(canonicalJson(contentOf(contents, name))) !== hash;
  return isOther('arguments', body.argumentsHash) || isOther('reads', body.readsHash);
}

function contentOf(contents: readonly Content[], wanted: string): JsonObject {
  return (contents.find(({ name }) => name === wanted)?.value ?? {}) as JsonObject;
}

/** The other policy may need reads that were not made, and their moment is over. */
function isUnread(
  { body }: Entry,
  contents: readonly Content[],
  { policy }: ReplayOptions,
): boolean {
  const contract = policy?.contracts.get(String(body.tool));
  if (!contract || contract.reads.length === 0 || body.readProblem !== undefined) return false;
  const reads = contentOf(contents, 'reads');
  return contract.reads.some(({ name }) => !Object.hasOwn(reads, name));
}

function compare(
  entry: Entry,
  contents: readonly Content[],
  rows: MemoryRows,
  policies: ReadonlyMap<string, CompiledPolicy>,
  { policy: other }: ReplayOptions,
): ReplayDifference | null {
  const { seq, body, actor, at } = entry;
  const policy = other ?? policies.get(String(body.policy)) ?? null;
  const prepared = prepare(questionOf(entry, contents, policy));
  const decision = decide(prepared, rows, at, String(body.proposal));
  // Another policy may charge and lock differently; only whether it allows the call counts.
  const now = other ? enforcedVerdict(decision) : factsOf(decision);
  const recorded = other ? recordedVerdict(entry) : recordedFacts(entry);
  const [was, is] = [canonicalJson(recorded), canonicalJson(now)];
  if (was === is || (other && recorded.verdict === now.verdict)) return null;
  const { proposal, tool } = body as { proposal: string; tool: string };
  const change = `${recorded.verdict} → ${now.verdict}`;
  return { seq, proposal, tool, actor, recorded: was, now: is, change };
}

/** As if enforced, because an observing policy would change nothing. */
function enforcedVerdict(decision: Decision): JsonObject {
  return { ...verdictOf(decision), verdict: decision.wouldBe ?? decision.verdict };
}

export function questionOf(
  { body, actor }: Entry,
  contents: readonly Content[],
  policy: CompiledPolicy | null,
): DecisionInput {
  const tool = String(body.tool);
  return {
    actor,
    tool,
    arguments: contentOf(contents, 'arguments'),
    argumentsHash: String(body.argumentsHash),
    facts: (body.facts ?? {}) as JsonObject,
    task: taskOf(body),
    key: undefined,
    reported: (body.reported ?? {}) as Record<string, number>,
    policy,
    contract: policy?.contracts.get(tool) ?? null,
    agent: agentOf(actor, policy),
    isNative: body.native === true,
    reads: contentOf(contents, 'reads'),
    readProblem: (body.readProblem ?? null) as string | null,
  };
}

function verdictOf({ verdict, said }: Decision): JsonObject {
  return { verdict, rules: said.map(({ rule }) => rule) };
}

function recordedVerdict({ kind, body }: Entry): JsonObject {
  return { verdict: verdicts[kind] as string, rules: (body.rules ?? []) as Json };
}

/** Every fact that a decision determines, not only its verdict. */
function factsOf(decision: Decision): JsonObject {
  const { charges, leases, evidence, wouldBe, drift } = decision;
  return {
    ...verdictOf(decision),
    charges: charges as Json,
    leases: leases as Json,
    evidence: [...evidence],
    wouldBe,
    drift,
  };
}

function recordedFacts(entry: Entry): JsonObject {
  const { charges = [], leases = [], evidence = [], wouldBe = null, drift = null } = entry.body;
  return { ...recordedVerdict(entry), charges, leases, evidence, wouldBe, drift };
}
