import {
  type Actor,
  canonicalJson,
  type Instant,
  type JsonObject,
  type Outcome,
  type Proposal,
  sha256,
} from '../../kernel/index.ts';
import {
  type Draft,
  type Entry,
  type Ledger,
  MemoryRows,
  Projections,
} from '../../ledger/index.ts';
import { type AdmissionRequest, type AdmissionResult, admissionKeys, admit } from '../admission.ts';
import type { JudgedStep } from '../api-schema.ts';
import { approvalKey } from '../approvals.ts';
import { question } from '../ask.ts';
import {
  type DecisionInput,
  modeOf,
  prepare,
  type RuleFinding,
  valuesOf,
} from '../decision/index.ts';
import { settlingOf } from '../effects/settling.ts';
import { type EvidenceFact, evidenceFact } from '../evidence.ts';
import type { GateDeps } from '../gate-deps.ts';
import { gateProjections } from '../projections.ts';
import { type KeyRow, proposalKey } from '../proposals.ts';
import { outcomeDraft } from '../settlement.ts';

const projections = new Projections(gateProjections);

/**
 * Judges each step as if the earlier ones were granted and committed. Makes the contract's reads;
 * writes and executes nothing else.
 */
export async function checkPlan(
  steps: readonly Omit<Proposal, 'actor'>[],
  actor: Actor,
  deps: GateDeps,
): Promise<JudgedStep[]> {
  const rows = new LoadedRows(deps.ledger);
  const judged: JudgedStep[] = [];
  for (const step of steps) judged.push(await rehearse({ ...step, actor }, rows, deps));
  return judged;
}

/** The earlier proposal of the key, if there is one. */
async function loadRecorded(idempotency: string | undefined, rows: LoadedRows): Promise<void> {
  const keyed = idempotency === undefined ? undefined : rows.get<KeyRow>(idempotency);
  if (keyed) await rows.load([proposalKey(keyed.proposal)]);
}

async function rehearse(proposal: Proposal, rows: LoadedRows, deps: GateDeps): Promise<JudgedStep> {
  const argumentsHash = sha256(canonicalJson(proposal.arguments));
  const prepared = prepare(await question(proposal, argumentsHash, deps));
  const id = deps.makeIdentifier('prop');
  const policyHash = deps.policies.hash;
  const asked: AdmissionRequest = {
    proposal,
    id,
    prepared,
    policyHash,
    executor: 'plan',
    grantMs: undefined,
    begins: false,
  };
  const { keys, unusedKeys } = admissionKeys(asked);
  await rows.load([...keys, ...unusedKeys]);
  await loadRecorded(prepared.assessed.idempotency, rows);
  const now = deps.clock.now();
  const { drafts, result } = admit(asked, rows, now);
  const admission = result([]);
  await apply(drafts, rows, now);
  const assumes = await applyStep(asked, admission, rows, now);
  const verdict = verdicts[admission.verdict];
  return {
    tool: proposal.tool,
    verdict,
    mode: modeOf(prepared.question),
    wouldBe: admission.verdict === 'grant' ? admission.granted.decision.wouldBe : null,
    said: recordedFindings(drafts) ?? findingsOf(admission),
    assumes,
    repeats: 'recorded' in admission ? admission.recorded.proposal : null,
  };
}

const verdicts = {
  grant: 'allow',
  repeat: 'allow',
  'in-flight': 'deny',
  deny: 'deny',
  hold: 'hold',
} as const;

/** Applies a step as if it had been executed, and an approval as if it had been given. */
async function applyStep(
  asked: AdmissionRequest,
  admission: AdmissionResult,
  rows: LoadedRows,
  now: Instant,
): Promise<string[]> {
  if (admission.verdict === 'hold') {
    const approval = String(admission.refused.details?.approval);
    approve(approval, rows);
    const { drafts, result } = admit(asked, rows, now);
    await apply(drafts, rows, now);
    const granted = result([]);
    const more = granted.verdict === 'grant' ? await applyStep(asked, granted, rows, now) : [];
    return [`approval ${approval} is given`, ...more];
  }
  if (admission.verdict !== 'grant') return [];
  const { gathered, assumes } = assumeResult(asked.prepared.question);
  const outcome: Outcome = { status: 'committed', proposal: asked.id, value: null };
  const ending = { actual: 'as-reserved', gathered, violations: [], recovers: false } as const;
  const settling = settlingOf(asked, admission);
  await apply([outcomeDraft(settling, outcome, ending)], rows, now);
  return [...assumes];
}

function approve(approval: string, rows: LoadedRows): void {
  const row = rows.get<JsonObject>(approvalKey(approval));
  rows.set(approvalKey(approval), { ...row, status: 'approved' });
}

async function apply(drafts: readonly Draft[], rows: LoadedRows, at: Instant): Promise<void> {
  for (const { kind, actor, body } of drafts) {
    const nowhere = { workspace: '', seq: 1, digest: '', prev: '', hash: '' };
    const entry: Entry = { ...nowhere, at, kind, actor, body };
    await rows.load(projections.keys(entry));
    projections.apply(rows, entry);
  }
}

function recordedFindings([first]: readonly Draft[]): readonly RuleFinding[] | undefined {
  const content = first?.contents?.find(({ name }) => name === 'said');
  if (content) return content.value as readonly RuleFinding[];
  return first?.kind === 'proposal-granted' ? [] : undefined;
}

/** Findings for a denial that comes from a fault and not from a rule. */
function findingsOf(admission: AdmissionResult): RuleFinding[] {
  if (admission.verdict === 'in-flight') {
    const reason = `proposal ${admission.recorded.proposal} with the same key is being executed`;
    return [{ rule: 'key', verdict: 'deny', reason, remedy: 'Wait for its outcome.' }];
  }
  if (!('refused' in admission)) return [];
  const { message: reason, remedy } = admission.refused;
  if (admission.verdict === 'deny') return [{ rule: 'key', verdict: 'deny', reason, remedy }];
  return [{ rule: 'approval', verdict: 'hold', reason, remedy }];
}

/** The assumed success of a call, and the conditions that it depends on. */
interface AssumedOutcome {
  readonly gathered: readonly EvidenceFact[];
  readonly assumes: readonly string[];
}

/** Nobody has the result yet, so conditions on it are assumed to hold, and the answer says so. */
function assumeResult(question: DecisionInput): AssumedOutcome {
  const gathered: EvidenceFact[] = [];
  const assumes: string[] = [];
  for (const { evidence, subject, when } of question.contract?.produces ?? []) {
    try {
      const about = String(subject.evaluate(valuesOf(question)));
      gathered.push(evidenceFact(evidence, about, null));
      if (when) assumes.push(`it shows ${evidence} for ${about}, if ${when.text}`);
    } catch {
      assumes.push(`it may show ${evidence}, but only its result tells about what`);
    }
  }
  return { gathered, assumes };
}

/** The current rows of the ledger with changes that are never written. */
class LoadedRows extends MemoryRows {
  readonly #ledger: Ledger;
  readonly #known = new Set<string>();

  constructor(ledger: Ledger) {
    super();
    this.#ledger = ledger;
  }

  /** Loads missing keys; all of one call are from the same moment. */
  async load(keys: readonly string[]): Promise<void> {
    const missing = [...new Set(keys)].filter((key) => !this.#known.has(key));
    if (missing.length === 0) return;
    const found = await this.#ledger.transact({
      keys: missing,
      decide: (rows) => ({ drafts: [], result: () => missing.map((key) => rows.get(key)) }),
    });
    missing.forEach((key, index) => {
      this.#known.add(key);
      this.set(key, found[index]);
    });
  }
}
