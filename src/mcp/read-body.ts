import { collectBody } from '../http/index.ts';
import {
  fault,
  isFault,
  isJsonObject,
  type Json,
  parseStrictJson,
  sharedLimits,
  tryOr,
} from '../kernel/index.ts';

const parseError = -32700;
const invalidRequest = -32600;

/** A body that is refused, with as much as could be read of it. */
export class Unreadable extends Error {
  readonly status: number;
  readonly code: number;
  readonly id: string | number | null;
  readonly tool: string | undefined;

  constructor(cause: unknown, status: number, code: number, partly: Json = null) {
    super((cause as Error).message, { cause });
    const { id, method, params } = isJsonObject(partly) ? partly : {};
    const name = isJsonObject(params ?? null) ? (params as { name?: Json }).name : undefined;
    this.status = status;
    this.code = code;
    this.id = typeof id === 'string' || typeof id === 'number' ? id : null;
    this.tool = method === 'tools/call' ? String(name) : undefined;
  }
}

/** The message in a request, within its size and time limits, parsed strictly. */
export async function readBody(
  request: Request,
  msMax: number,
): Promise<{ readonly text: string; readonly value: Json }> {
  const text = await readText(request, msMax);
  try {
    return { text, value: single(parseStrictJson(text)) };
  } catch (error) {
    throw new Unreadable(error, 400, ...parsedLoosely(text));
  }
}

/** Neither revision allows batches, and the rate limit counts requests. */
function single(value: Json): Json {
  if (Array.isArray(value)) throw fault('MESSAGES_BATCHED', {});
  return value;
}

/** The id to answer to if a message is JSON, but not strict JSON. */
function parsedLoosely(text: string): [code: number, partly?: Json] {
  return tryOr(() => [invalidRequest, JSON.parse(text) as Json], [parseError]);
}

async function readText(request: Request, msMax: number): Promise<string> {
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  const timer = setTimeout(() => late.reject(tooSlow(msMax)), msMax);
  try {
    return decode(await Promise.race([collect(request), late.promise]));
  } finally {
    clearTimeout(timer);
  }
}

const tooSlow = (limit: number): Unreadable =>
  new Unreadable(fault('REQUEST_TOO_SLOW', { limit }), 408, invalidRequest);

async function collect(request: Request): Promise<Uint8Array> {
  try {
    return await collectBody(request, sharedLimits.requestBytesMax);
  } catch (error) {
    if (!isFault(error, 'REQUEST_TOO_LARGE')) throw error;
    throw new Unreadable(error, 413, invalidRequest);
  }
}

const strictText = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return strictText.decode(bytes);
  } catch {
    const wrong = fault('JSON_INVALID', { reason: 'it is not UTF-8' });
    throw new Unreadable(wrong, 400, parseError);
  }
}
