import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  fault,
  type Json,
  type JsonObject,
  parseStrictJson,
  sha256,
  sharedLimits,
  toFault,
} from '../kernel/index.ts';
import type { TelemetryControls } from './control-contract.ts';

interface ControlDeps {
  readonly controls: Partial<TelemetryControls>;
  readonly token: string;
}

export async function answerControl(
  request: IncomingMessage,
  response: ServerResponse,
  deps: ControlDeps,
): Promise<void> {
  try {
    send(response, 200, await perform(request, deps));
  } catch (error) {
    const reason = toFault(error);
    send(response, reason.definition.status, { fault: reason.report() });
  }
}

async function perform(
  request: IncomingMessage,
  { controls, token }: ControlDeps,
): Promise<unknown> {
  if (!holds(request, token)) throw fault('TELEMETRY_TOKEN_WRONG', {});
  const [path = ''] = (request.url ?? '').split('?');
  const name = `${request.method} ${path}`;
  const control = Object.hasOwn(controls, name) && controls[name as keyof TelemetryControls];
  if (!control) {
    throw fault('REQUEST_INVALID', { operation: name, reason: 'there is no such path' });
  }
  return control(await readJson(request, name));
}

function holds({ headers: { authorization = '' } }: IncomingMessage, token: string): boolean {
  const [given, wanted] = [authorization, `Bearer ${token}`].map((text) =>
    Buffer.from(sha256(text)),
  );
  return timingSafeEqual(given as Buffer, wanted as Buffer);
}

async function readJson(request: IncomingMessage, operation: string): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > sharedLimits.requestBytesMax) {
      throw fault('REQUEST_TOO_LARGE', { limit: sharedLimits.requestBytesMax });
    }
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  const value: Json = parseStrictJson(Buffer.concat(chunks).toString('utf8'));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  throw fault('REQUEST_INVALID', { operation, reason: 'the body is not an object' });
}

function send(response: ServerResponse, status: number, value: unknown): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value ?? {}, digits));
}

/** Nanoseconds exceed a JSON number. */
function digits(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
