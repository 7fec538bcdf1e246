import type { IncomingMessage } from 'node:http';
import { type Json, limits, redactSecrets } from '../kernel/index.ts';

export interface CapturedBody {
  readonly json: Json;
  readonly bytes: number;
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** Listens to a message while it is passed on; call the result when that is over. */
export function captureBody(message: IncomingMessage): () => CapturedBody {
  const isJson = jsonType.test(message.headers['content-type'] ?? '');
  let chunks: Buffer[] = [];
  let bytes = 0;
  message.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (isJson && bytes <= limits.hopBodyBytesMax) chunks.push(chunk);
    else chunks = [];
  });
  return () => ({ json: readBody(chunks, bytes), bytes });
}

function readBody(chunks: readonly Buffer[], bytes: number): Json {
  const body = Buffer.concat(chunks);
  if (body.length === 0 || body.length !== bytes) return null;
  try {
    const json = JSON.parse(body.toString('utf8')) as Json;
    return isShallow(json, limits.jsonDepthMax) ? redactSecrets(json) : null;
  } catch {
    // Cut off, compressed, or not what it says: the size is all that there is to tell.
    return null;
  }
}

/** What is deeper could be neither redacted nor stored; a recursion must not find out the end. */
function isShallow(json: Json, depthLeft: number): boolean {
  if (typeof json !== 'object' || json === null) return true;
  return depthLeft > 0 && Object.values(json).every((value) => isShallow(value, depthLeft - 1));
}
