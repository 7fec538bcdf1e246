import {
  canonicalJson,
  fault,
  type Grant,
  isFault,
  isJsonObject,
  type JsonObject,
} from '../../../kernel/index.ts';
import type { ClientExchange } from '../clients/exchange.ts';
import type { OwnSessions } from '../clients/own-sessions.ts';
import { untilComplete } from '../clients/until-complete.ts';
import type { RawMessage } from '../http/raw-call.ts';
import type { GatewayPorts } from '../ports.ts';
import { withDoubles, withoutLoss } from '../upstream/exact-json.ts';
import { failureOf } from '../upstream/upstream-failure.ts';
import type { OfferedTool } from '../upstream/upstreams.ts';
import { recordable } from './recorded-result.ts';

export interface UpstreamCall {
  readonly tool: OfferedTool;
  readonly arguments: JsonObject;
  /** What the client sent along, and says of itself where a server wants to know. */
  meta(isModern: boolean): JsonObject;
  readonly timeoutMs: number;
  readonly exchange: ClientExchange | undefined;
  /** The client's own sessions with servers, if it has any. */
  readonly own: OwnSessions | undefined;
  /** Aborts when nobody waits any more; undefined where the call has to go on all the same. */
  readonly gone: AbortSignal | undefined;
  readonly onProgress: ((progress: JsonObject) => void) | undefined;
  /** The client's own message, if it may be handed on as it is. */
  readonly raw?: RawMessage;
  /** Answers to what a server of the newer revision will ask. */
  readonly inputResponses?: JsonObject;
}

/** What the upstream itself said, which its client gets as it is. */
export interface UpstreamAnswer {
  result?: JsonObject;
  error?: Error;
  /** Why it is unknown what the call did. */
  doubt?: string;
}

/** Calls the upstream under a grant: a value for the ledger, or a fault that says what is known. */
export async function execute(
  execution: UpstreamCall,
  grant: Pick<Grant, 'proposal' | 'key' | 'signal'>,
  ports: Pick<GatewayPorts, 'checkBy'>,
  seen: UpstreamAnswer,
): Promise<JsonObject> {
  const { name, definition } = execution.tool;
  try {
    const result = await send(execution, grant);
    if (!isResult(result)) throw inDoubt('its answer is no result of a tool');
    seen.result = result;
    if (result.isError === true) throw reportedError(name, result);
    checkOutput(definition.outputSchema, withDoubles(result), ports);
    return recordable(withoutLoss(result));
  } catch (error) {
    if (error instanceof Error && !isFault(error)) seen.error = error;
    const failure = failureOf(name, error);
    if (failure.code === 'TOOL_IN_DOUBT') seen.doubt = failure.message;
    throw failure;
  }
}

async function send(
  execution: UpstreamCall,
  { proposal, key, signal }: Pick<Grant, 'proposal' | 'key' | 'signal'>,
): Promise<JsonObject> {
  const { tool, exchange, own, timeoutMs, gone, onProgress, raw, inputResponses } = execution;
  const { upstream, definition } = tool;
  const session = await upstream.sessionFor(own);
  const keyed = key === undefined ? {} : { 'surety/idempotency-key': key };
  const params: JsonObject = {
    name: definition.name,
    arguments: execution.arguments,
    ...(inputResponses && session.isModern ? { inputResponses } : {}),
    _meta: { ...execution.meta(session.isModern), 'surety/proposal': proposal, ...keyed },
  };
  let sent: Promise<JsonObject> | undefined;
  if (raw) {
    const signals = gone ? [signal, gone] : [signal];
    const message = tool.name === definition.name ? raw : renamed(raw, params);
    const headers = headersOf(proposal, key);
    sent = upstream.callRaw(definition, message, { timeoutMs, signals }, headers);
  }
  return untilComplete(params, exchange, (asked) => {
    const first = sent;
    // As its client wrote it only once: further rounds have answers in them.
    sent = undefined;
    if (first) return first;
    const ending = gone ? AbortSignal.any([signal, gone]) : signal;
    const options = { exchange, signal: ending, timeoutMs, onProgress };
    return session.callTool(asked, definition, options);
  });
}

/** Clients put the name of the server before that of its tool where there are several. */
function renamed({ id }: RawMessage, params: JsonObject): RawMessage {
  return { id, text: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }) };
}

/** Beside the message, which goes on as it is. */
function headersOf(proposal: string, key: string | undefined): Record<string, string> {
  const named = { 'surety-proposal': proposal };
  return key === undefined ? named : { ...named, 'idempotency-key': key };
}

function isResult(answer: unknown): answer is JsonObject {
  if (!isJsonObject(answer as JsonObject)) return false;
  const { content, structuredContent } = answer as JsonObject;
  return Array.isArray(content) || structuredContent !== undefined;
}

function inDoubt(reason: string): Error {
  return fault('TOOL_IN_DOUBT', { reason });
}

const reasonCharsMax = 1_000;

/** The tool's own word that it failed: no result to build on, and nothing to take as evidence. */
function reportedError(tool: string, { content }: JsonObject): Error {
  const texts = (Array.isArray(content) ? content : []).map((one) => {
    const { text } = (isJsonObject(one) ? one : {}) as { text?: unknown };
    return typeof text === 'string' ? text : '';
  });
  const reason = texts.join(' ').toWellFormed().slice(0, reasonCharsMax).trim();
  return fault('TOOL_REPORTED_ERROR', { tool, reason: reason || 'it does not say why' });
}

/** A server that breaks its own promise about its answers has not said what it did. */
function checkOutput(
  schema: unknown,
  { structuredContent }: JsonObject,
  { checkBy }: Pick<GatewayPorts, 'checkBy'>,
): void {
  if (!isJsonObject(schema as JsonObject)) return;
  if (structuredContent === undefined) throw inDoubt('its answer lacks the structured content');
  const mistakes = checkBy(schema as JsonObject)(JSON.parse(canonicalJson(structuredContent)));
  if (mistakes.length > 0) throw inDoubt(`its answer breaks its schema: ${mistakes.join('; ')}`);
}
