import {
  type Actor,
  canonicalJson,
  fault,
  type Instant,
  isFault,
  type Json,
  type JsonObject,
  type Proposal,
  sha256,
  toFault,
} from '../kernel/index.ts';
import { type ReadRows, type Request, readRow } from '../ledger/index.ts';
import { type AdmissionRequest, type AdmissionResult, admissionKeys, admit } from './admission.ts';
import type { StopsRow } from './api-schema.ts';
import { within } from './attempt.ts';
import { recordAttempt } from './attempts.ts';
import { type DecisionInput, prepare, valuesOf } from './decision/index.ts';
import { argumentsBytes } from './denied-arguments.ts';
import { settlingOf } from './effects/settling.ts';
import { withEffect } from './effects/with-effect.ts';
import type { GateDeps } from './gate-deps.ts';
import type { CompiledContract, CompiledPolicy, CompiledRead } from './language/index.ts';
import { gateLimits } from './limits.ts';
import { readLockStates } from './lock-states.ts';
import { outside } from './proposals.ts';
import { abandon } from './settlement.ts';
import { stopIn, stopsKey } from './stops.ts';
import type { ToolCall } from './tool-call.ts';

const movesMax = 5;

/** `grantMs` is the time that an outside executor has; absent if this process executes. */
export type ExecutionTerms = {
  readonly grantMs?: number;
  /** Whether that executor begins as soon as it has the grant. */
  readonly begins?: boolean;
  /** The entries that are the call's whole effect: they are recorded with the grant. */
  readonly effect?: Request<Json>;
};

export interface AdmittedRequest {
  readonly asked: AdmissionRequest;
  readonly admission: AdmissionResult;
}

/** Makes the contract's reads, then decides. Starts again if the policy changed meanwhile. */
export async function ask(
  proposal: Proposal,
  executing: ExecutionTerms,
  deps: GateDeps,
): Promise<AdmittedRequest> {
  const argumentsHash = await hashArguments(proposal, deps);
  for (let moves = 0; ; moves++) {
    const policyHash = deps.policies.hash;
    const bare = bareQuestion(proposal, argumentsHash, deps);
    const reads = bare.contract?.concurrency?.lock && bare.contract.reads.length > 0;
    const locks = reads ? { lockStates: await readLockStates(prepare(bare), deps.ledger) } : {};
    const prepared = prepare(await withReads(bare, deps));
    const asked: AdmissionRequest = {
      ...locks,
      proposal,
      id: deps.makeIdentifier('prop'),
      prepared,
      policyHash,
      executor: executing.grantMs === undefined ? deps.executor : outside,
      grantMs: executing.grantMs,
      begins: executing.begins === true,
    };
    try {
      const admission = await submit(asked, executing.effect, deps);
      if (admission.verdict === 'deny') chargeDenied(proposal, deps);
      return { asked, admission };
    } catch (error) {
      if (moves >= movesMax) throw error;
      if (isFault(error, 'POLICY_MOVED')) await deps.policies.reload();
      else if (!isFault(error, 'READS_MOVED')) throw error;
    }
  }
}

/** The request itself has been counted already. */
function chargeDenied({ actor, arguments: given }: Proposal, deps: GateDeps): void {
  const requests = Math.floor(argumentsBytes(given) / gateLimits.deniedRequestBytes);
  if (requests > 0) deps.chargeDenied?.(actor, requests);
}

async function submit(
  asked: AdmissionRequest,
  effect: Request<Json> | undefined,
  { ledger }: GateDeps,
): Promise<AdmissionResult> {
  const admitting = {
    ...admissionKeys(asked),
    decide: (rows: ReadRows, now: Instant) => admit(asked, rows, now),
  };
  try {
    return await ledger.transact(effect ? withEffect(admitting, asked, effect) : admitting);
  } catch (error) {
    if (isFault(error, 'LEDGER_IN_DOUBT')) abandon(ledger, settlingOf(asked));
    throw error;
  }
}

const toolPattern = /^[A-Za-z0-9_][A-Za-z0-9_./:-]{0,127}$/;
const taskPattern = /^[A-Za-z0-9_-]{1,100}$/;

/** Names are parts of row keys and steps, so a name with a space could imitate another one. */
function checkNames({ tool, task }: Proposal): void {
  if (!toolPattern.test(tool))
    throw fault('NAME_INVALID', { what: 'tool', name: tool.slice(0, 60) });
  if (task !== undefined && !taskPattern.test(task)) {
    throw fault('NAME_INVALID', { what: 'task', name: task.slice(0, 60) });
  }
}

/** Arguments that are not JSON have no hash and get no decision. The attempt is recorded. */
async function hashArguments(proposal: Proposal, { ledger }: GateDeps): Promise<string> {
  const { actor, tool, arguments: given } = proposal;
  try {
    checkNames(proposal);
    // Programs pass what they like, whatever its type says.
    if (given === null || typeof given !== 'object' || Array.isArray(given)) {
      throw fault('ARGUMENTS_INVALID', { tool });
    }
    return sha256(canonicalJson(given));
  } catch (error) {
    throw await recordAttempt(ledger, actor, 'proposal', error, { tool: tool.slice(0, 200) });
  }
}

/** The decision input without any reads. */
function bareQuestion(proposal: Proposal, argumentsHash: string, deps: GateDeps): DecisionInput {
  const { actor, tool, arguments: given, facts = {}, task, key, reported = {} } = proposal;
  const policy = deps.policies.current;
  const contract = policy?.contracts.get(tool) ?? null;
  const agent = agentOf(actor, policy);
  return {
    actor,
    tool,
    arguments: given,
    argumentsHash,
    facts,
    task,
    key,
    reported,
    policy,
    contract,
    agent,
    isNative: deps.isNative(tool),
    reads: {},
    readProblem: null,
  };
}

/** The complete decision input, including the contract's reads. */
export async function question(
  proposal: Proposal,
  argumentsHash: string,
  deps: GateDeps,
): Promise<DecisionInput> {
  return withReads(bareQuestion(proposal, argumentsHash, deps), deps);
}

async function withReads(asked: DecisionInput, deps: GateDeps): Promise<DecisionInput> {
  const { actor, tool, arguments: given, contract, agent } = asked;
  if (!contract || contract.reads.length === 0) return asked;
  // Nothing is read for a caller without permission, with undeclared arguments, or during a stop.
  // The decision gives the reason, and checks again under the lock.
  if (await isStopped(actor, [tool, ...contract.reads.map((read) => read.tool)], deps))
    return { ...asked, readProblem: 'what has to be read first is stopped' };
  if (actor.startsWith('agent:') && !agent?.allows(tool)) return asked;
  if (contract.checkArguments(given).length > 0) return asked;
  return { ...asked, ...(await freshReads(asked, contract.reads, deps)) };
}

async function isStopped(actor: Actor, tools: readonly string[], { ledger }: GateDeps) {
  const set = await readRow<StopsRow>(ledger, stopsKey);
  if (!set) return false;
  return tools.some((tool) => stopIn(set, actor, tool) !== null);
}

export function agentOf(actor: Actor, policy: CompiledPolicy | null) {
  if (!actor.startsWith('agent:')) return null;
  return policy?.agents.get(actor.slice('agent:'.length)) ?? null;
}

type Reads = Pick<DecisionInput, 'reads' | 'readProblem'>;

/** Reads that the runtime makes now. A failed read is a reason to deny. */
async function freshReads(
  asked: DecisionInput,
  reads: readonly CompiledRead[],
  deps: GateDeps,
): Promise<Reads> {
  try {
    const read = async ({ name, tool, with: inputs }: CompiledRead): Promise<[string, Json]> => {
      const values = valuesOf(asked);
      const given = Object.fromEntries(inputs.map(([key, from]) => [key, from.evaluate(values)]));
      return [name, await readNow(tool, given, deps)];
    };
    return { reads: Object.fromEntries(await Promise.all(reads.map(read))), readProblem: null };
  } catch (error) {
    return { reads: {}, readProblem: toFault(error).message };
  }
}

/** One call of a reading tool; it needs no grant and charges nothing. */
export async function readNow(
  tool: string,
  given: JsonObject,
  deps: GateDeps,
  leases: ToolCall['leases'] = [],
): Promise<Json> {
  const contract = deps.policies.current?.contracts.get(tool) as CompiledContract;
  const proposal = deps.makeIdentifier('read');
  const call = { contract, arguments: given, key: undefined, proposal, leases };
  const value = await within(contract.timeoutMs, (signal) => deps.runTool({ ...call, signal }));
  // The decision uses exactly the recorded value.
  return JSON.parse(canonicalJson(value)) as Json;
}
