import {
  fault,
  type Identity,
  type Json,
  type JsonObject,
  type Proposal,
  sha256,
} from '../kernel/index.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { modelLimits } from './limits.ts';
import type { ModelTarget } from './target.ts';
import { objectOf, type TokenUsage } from './usage.ts';
import { createAnswerReader, createStreamReader, type UsageReader } from './usage-reader.ts';

/** One request to a model: what the gate is asked, and what is sent. */
export interface ModelCall {
  readonly target: ModelTarget;
  readonly model: string;
  readonly proposal: Proposal;
  readonly reserved: TokenUsage;
  readonly body: string;
  readonly signal: AbortSignal;
  readerOf(answer: Response): UsageReader;
}

export async function readModelCall(
  request: Request,
  target: ModelTarget,
  { actor }: Identity,
): Promise<ModelCall> {
  const { api, path, name, task } = target;
  const given = await readBody(request);
  const model = typeof given.model === 'string' ? given.model.slice(0, 200) : 'unknown';
  const { body, hidesUsage } = api.prepare(path, given);
  const reserved = {
    input: estimateTokens(askedOf(given)),
    output: path === '/v1/embeddings' ? 0 : (api.outputLimit(given) ?? target.outputTokens),
  };
  const proposal = {
    actor,
    tool: 'model.call',
    arguments: { provider: name, model, request: hashOf(path, given) },
    reported: { tokens: reserved.input + reserved.output },
    ...(task === undefined ? {} : { task }),
  };
  const isStream = (answer: Response): boolean =>
    answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  return {
    ...{ target, model, proposal, reserved, signal: request.signal },
    body: JSON.stringify(body),
    readerOf: (answer) =>
      isStream(answer) ? createStreamReader(api, hidesUsage) : createAnswerReader(api),
  };
}

/** What the model reads. */
const asked = ['messages', 'input', 'prompt', 'system', 'instructions', 'tools'] as const;

function askedOf(body: JsonObject): Json {
  const named = asked.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]]));
  return Object.fromEntries(named) as JsonObject;
}

/**
 * The same question is the same call, also with another limit or temperature: whoever asks again
 * with ten times the tokens repeats itself.
 */
function hashOf(path: string, body: JsonObject): string {
  return sha256(JSON.stringify([path, askedOf(body)])).slice(0, 32);
}

async function readBody(request: Request): Promise<JsonObject> {
  const limit = modelLimits.modelRequestBytesMax;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request.body ?? []) {
    bytes += piece.length;
    if (bytes > limit) throw fault('REQUEST_TOO_LARGE', { limit });
    pieces.push(piece);
  }
  try {
    return objectOf(JSON.parse(Buffer.concat(pieces).toString('utf8')));
  } catch (error) {
    const reason = 'the body is not JSON';
    throw fault('REQUEST_INVALID', { operation: 'model.call', reason }, error);
  }
}
