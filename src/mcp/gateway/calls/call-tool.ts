import {
  type Fault,
  fault,
  type Identity,
  isFault,
  isJsonObject,
  type Json,
  type JsonObject,
  type Outcome,
  type Proposal,
} from '../../../kernel/index.ts';
import { denialOf } from '../../denial.ts';
import type { ClientExchange } from '../clients/exchange.ts';
import { onlyCancelled } from '../clients/hang-up.ts';
import type { OwnSessions } from '../clients/own-sessions.ts';
import type { RawMessage } from '../http/raw-call.ts';
import { isOwnName } from '../names.ts';
import type { GatewayPorts, ToolTerms } from '../ports.ts';
import { protocolErrorOf } from '../protocol-error.ts';
import { isProtocolError } from '../upstream/upstream-failure.ts';
import type { OfferedTool, Upstreams } from '../upstream/upstreams.ts';
import { askApproval } from './ask-approval.ts';
import { execute, type UpstreamAnswer, type UpstreamCall } from './execute.ts';
import { fitDenial } from './fit-denial.ts';
import { callOwnTool } from './own-tools.ts';
import { resultOf } from './recorded-result.ts';

type Run = Parameters<GatewayPorts['act']>[1];

export interface CallDeps {
  readonly ports: GatewayPorts;
  readonly upstreams: Upstreams;
}

export interface ToolRequest {
  readonly caller: Identity;
  readonly params: JsonObject;
  /** What the client sent along, and says of itself where a server wants to know. */
  meta(isModern: boolean): JsonObject;
  readonly exchange: ClientExchange;
  /** Its own sessions with servers, if it has any. */
  readonly own?: OwnSessions | undefined;
  readonly inputResponses?: JsonObject | undefined;
  /** The client's own message, if it may be handed on as it is. */
  readonly raw?: RawMessage;
  /** Aborts when the client is gone. */
  readonly gone: AbortSignal;
  readonly onProgress: ((progress: JsonObject) => void) | undefined;
}

/** One `tools/call`: a proposal, its outcome, and an answer that a model can act on. */
export async function callTool(request: ToolRequest, deps: CallDeps): Promise<JsonObject> {
  const { caller, params } = request;
  const name = deps.upstreams.unlistedName(String(params.name));
  const seen: UpstreamAnswer = {};
  try {
    if (isOwnName(name)) return await callOwnTool(name, params.arguments, caller, deps.ports);
    const proposal = proposalOf(name, request);
    const terms = deps.ports.terms(name);
    const tool = await admitted(proposal, terms, deps);
    const run: Run = async (grant) => {
      if (isFault(tool)) throw tool;
      const execution = executionOf(tool, proposal, terms, request);
      return execute(execution, grant, deps.ports, seen);
    };
    const act = (): Promise<Outcome> => actPatiently(proposal, terms, deps, run);
    const outcome = await act().catch(async (error: unknown) => {
      if (!isFault(error, 'PROPOSAL_HELD')) throw error;
      if (!(await askApproval(error, proposal, request.exchange, deps.ports))) throw error;
      return act();
    });
    return withNotices(answerOf(outcome, seen), outcome.notices);
  } catch (error) {
    if (isProtocolError(error)) throw error;
    // The protocol has its own word for a tool that nobody has.
    if (isFault(error, 'TOOL_UNKNOWN')) throw protocolErrorOf(error);
    const rephrase = (text: string): string => deps.upstreams.withListedNames(text);
    return fitDenial(denialOf(error, name, undefined, rephrase), deps.upstreams.promises(name));
  }
}

function executionOf(
  tool: OfferedTool,
  { arguments: given }: Proposal,
  { timeoutMs, effect }: ToolTerms,
  { meta, exchange, own, onProgress, gone, raw, inputResponses }: ToolRequest,
): UpstreamCall {
  return {
    tool,
    arguments: given,
    meta,
    own,
    timeoutMs,
    exchange,
    onProgress,
    gone: effect === 'read' ? gone : whenCancelled(gone, raw),
    ...(raw ? { raw } : {}),
    ...(inputResponses === undefined ? {} : { inputResponses }),
  };
}

/**
 * An effect goes on without its client: its outcome is recorded, and told when asked again. Only a
 * client that says so cancels it, and what it had done by then is in doubt.
 */
function whenCancelled(gone: AbortSignal, raw: RawMessage | undefined): AbortSignal | undefined {
  // A plain call has no other way to end than to hang up.
  return raw ? undefined : onlyCancelled(gone);
}

const keyCharsMax = 200;

function proposalOf(tool: string, { caller, params }: ToolRequest): Proposal {
  const { arguments: given = {}, _meta: meta = {} } = params;
  if (!isJsonObject(given)) throw fault('TOOL_ARGUMENTS', { tool, reason: 'they are no object' });
  const { 'surety/idempotency-key': key, 'surety/task': task } = isJsonObject(meta) ? meta : {};
  return {
    actor: caller.actor,
    tool,
    arguments: given,
    ...(key === undefined ? {} : { key: textOf(tool, 'surety/idempotency-key', key) }),
    ...(task === undefined ? {} : { task: textOf(tool, 'surety/task', task) }),
  };
}

function textOf(tool: string, name: string, value: Json): string {
  if (typeof value === 'string' && value !== '' && value.length <= keyCharsMax) return value;
  const reason = `_meta ${name} is no text of 1 to ${keyCharsMax} characters`;
  throw fault('TOOL_ARGUMENTS', { tool, reason });
}

/**
 * What is refused before anybody has to decide; each refusal is on the ledger all the same. A call
 * that was made before needs no server: its outcome is recorded.
 */
async function admitted(
  proposal: Proposal,
  terms: ToolTerms,
  { ports, upstreams }: CallDeps,
): Promise<OfferedTool | Fault> {
  const { actor, tool, arguments: given } = proposal;
  const offered = upstreams.find(tool);
  const refused = offered ? objection(offered, given, terms, ports) : absent(tool, upstreams);
  if (offered && !refused) return offered;
  const refusal = refused ?? fault('TOOL_UNKNOWN', { tool });
  if (passing.has(refusal.code) && (await ports.isRepeat(proposal))) return refusal;
  await ports.record(actor, refusal, { tool: tool.slice(0, 200) });
  throw refusal;
}

const passing: ReadonlySet<string> = new Set(['UPSTREAM_AWAY', 'UPSTREAM_CUT_OFF', 'TOOL_BLOCKED']);

function absent(tool: string, upstreams: Upstreams) {
  const place = upstreams.inside(tool);
  const reason = place?.upstream.cutOffReason;
  if (reason !== undefined) return fault('UPSTREAM_CUT_OFF', { tool, reason });
  if (place && !place.upstream.isUp) return fault('UPSTREAM_AWAY', { tool });
  return fault('TOOL_UNKNOWN', { tool: tool.slice(0, 200) });
}

/** What a server says about its tools can take something away, and never add anything. */
function objection(
  { definition, state, name }: OfferedTool,
  given: JsonObject,
  { effect, mode }: ToolTerms,
  ports: GatewayPorts,
) {
  if (state === 'blocked') return fault('TOOL_BLOCKED', { tool: name });
  const { annotations = {} } = definition as { annotations?: JsonObject };
  const saysItWrites = annotations.readOnlyHint === false || annotations.destructiveHint === true;
  if (effect === 'read' && saysItWrites) return fault('TOOL_CONTRADICTS', { tool: name });
  if (effect !== null || mode === 'enforce') return undefined;
  const mistakes = ports.checkBy(definition.inputSchema)(given);
  if (mistakes.length === 0) return undefined;
  return fault('TOOL_ARGUMENTS', { tool: name, reason: mistakes.join('; ') });
}

/** The same call in flight is waited for; what a person has to approve is told at once. */
async function actPatiently(
  proposal: Proposal,
  { timeoutMs }: ToolTerms,
  { ports }: CallDeps,
  run: Run,
): Promise<Outcome> {
  try {
    return await ports.act(proposal, run);
  } catch (error) {
    if (!isFault(error, 'PROPOSAL_IN_FLIGHT')) throw error;
    return ports.act({ ...proposal, waitMs: timeoutMs }, run);
  }
}

/** Warnings and constraints come last, as texts of their own: the answer itself stays as it was. */
export function withNotices(result: JsonObject, notices: readonly string[] = []): JsonObject {
  if (notices.length === 0 || !Array.isArray(result.content)) return result;
  const texts = notices.map((notice) => ({ type: 'text', text: `Notice of Surety: ${notice}` }));
  return { ...result, content: [...result.content, ...texts] };
}

function answerOf(outcome: Outcome, { result, error, doubt }: UpstreamAnswer): JsonObject {
  if (outcome.status === 'unknown') {
    const { proposal } = outcome;
    const because = doubt === undefined ? {} : { doubt };
    throw fault('PROPOSAL_UNKNOWN', { proposal }).with({ proposal, ...because });
  }
  if (outcome.status === 'committed') {
    return result && result.isError !== true ? result : resultOf(outcome.value);
  }
  const { fault: failure } = outcome;
  if (failure.code === 'TOOL_REPORTED_ERROR' && result) return result;
  if (failure.code === 'TOOL_FAILED' && isProtocolError(error)) throw error;
  throw failure;
}
