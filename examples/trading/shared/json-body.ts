import type { IncomingMessage } from 'node:http';
import { badRequest, HttpError } from './http-error.ts';

export type JsonObject = Record<string, unknown>;

const BODY_BYTES_MAX = 64 * 1024;

/** Reads a request's body as one JSON object, refusing anything larger than `BODY_BYTES_MAX`. */
export async function readJsonObject(request: IncomingMessage): Promise<JsonObject> {
  const text = await readText(request).catch((error: unknown) => {
    throw error instanceof HttpError
      ? error
      : badRequest('incomplete_body', 'The body ended early.');
  });
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('invalid_body', 'The body must be a JSON object.');
  }
  return value as JsonObject;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A body that is too large is read to its end, unkept: a client that still sends hears no answer.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  if (bytes > BODY_BYTES_MAX) {
    const message = `The body must be at most ${BODY_BYTES_MAX} bytes.`;
    throw new HttpError(413, 'body_too_large', message);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('invalid_json', 'The body is not valid JSON.');
  }
}
