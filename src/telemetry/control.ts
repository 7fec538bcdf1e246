import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  fault,
  type Json,
  type JsonObject,
  parseStrictJson,
  sharedLimits,
  toFault,
} from '../kernel/index.ts';
import type { TelemetryControls } from './control-contract.ts';

/** The router reports hops over one connection, as long as there are any. */
const keepAliveMs = 30_000;

/** Serves everyone who may open the socket of telemetry, which is its own user. */
export function createControlServer(controls: TelemetryControls): Server {
  const server = createServer((request, response) => void answer(request, response, controls));
  server.keepAliveTimeout = keepAliveMs;
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  controls: TelemetryControls,
): Promise<void> {
  request.on('error', () => {});
  try {
    send(response, 200, await perform(request, controls));
  } catch (error) {
    const reason = toFault(error);
    send(response, reason.definition.status, { fault: reason.report() });
  }
}

async function perform(request: IncomingMessage, controls: TelemetryControls): Promise<unknown> {
  const [path = ''] = (request.url ?? '').split('?');
  const name = `${request.method} ${path}`;
  const control = Object.hasOwn(controls, name) && controls[name as keyof TelemetryControls];
  if (!control) {
    throw fault('REQUEST_INVALID', { operation: name, reason: 'there is no such path' });
  }
  return control(await readJson(request, name));
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
