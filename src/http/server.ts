import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { z } from 'zod';
import {
  fault,
  hasRole,
  type Identity,
  type Json,
  type Log,
  limits,
  parseStrictJson,
  toFault,
} from '../kernel/index.ts';
import type { changeOperations } from './change-operations.ts';
import {
  type Operation,
  type OperationKey,
  type OperationRequest,
  type OperationResponse,
  type Operations,
  operations,
} from './contract.ts';
import type { gateOperations } from './gate-operations.ts';
import type { grantOperations } from './grant-operations.ts';
import type { ledgerOperations } from './ledger-operations.ts';
import type { mcpOperations } from './mcp-operations.ts';
import { type McpRouteDeps, mountMcp } from './mcp-route.ts';
import type { policyOperations } from './policy-operations.ts';
import type { systemOperations } from './system-operations.ts';
import type { taskOperations } from './task-operations.ts';

/** What a handler knows besides its checked input. */
export interface Call extends Identity {
  /** The caller's `Idempotency-Key`. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

type Answer<Key extends OperationKey> = Operations[Key] extends { readonly stream: true }
  ? AsyncIterable<OperationResponse<Key>>
  : Promise<OperationResponse<Key>>;

export type Handlers = {
  readonly [Key in OperationKey]: (request: OperationRequest<Key>, call: Call) => Answer<Key>;
};

export type ChangeHandlers = Pick<Handlers, keyof typeof changeOperations>;
export type GateHandlers = Pick<Handlers, keyof typeof gateOperations>;
export type GrantHandlers = Pick<Handlers, keyof typeof grantOperations>;
export type LedgerHandlers = Pick<Handlers, keyof typeof ledgerOperations>;
export type McpHandlers = Pick<Handlers, keyof typeof mcpOperations>;
export type PolicyHandlers = Pick<Handlers, keyof typeof policyOperations>;
export type SystemHandlers = Pick<Handlers, keyof typeof systemOperations>;
export type TaskHandlers = Pick<Handlers, keyof typeof taskOperations>;

export interface ServerDeps extends McpRouteDeps {
  readonly handlers: Handlers;
  /** Keeps an attempt that could not even be read. */
  readonly onUnreadable: (identity: Identity, operation: string, error: unknown) => Promise<void>;
  readonly log: Log;
}

type AnyHandler = (request: object, call: Call) => Promise<Json> | AsyncIterable<Json>;

/** The API as a fetch handler: every operation of the contract, and nothing else. */
export function createApi(deps: ServerDeps): Hono {
  const app = new Hono();
  app.use(refuseForeignOrigins);
  mountMcp(app, deps);
  for (const [key, operation] of Object.entries<Operation>(operations)) {
    const [method = '', path = ''] = key.split(' ');
    const handler = deps.handlers[key as OperationKey] as AnyHandler;
    app.on(method, path.replace(/\{(\w+)\}/g, ':$1'), async (context) => {
      const identity = operation.open ? anybody : identify(context, deps);
      checkRole(key, operation, identity);
      const request = await readRequest(context, key, operation).catch(async (error) => {
        if (operation.recorded) await deps.onUnreadable(identity, key, error);
        throw error;
      });
      const call = {
        ...identity,
        key: context.req.header('idempotency-key'),
        signal: context.req.raw.signal,
      };
      const answer = handler(request, call);
      return operation.stream
        ? sendEvents(context, answer as AsyncIterable<{ seq: number }>, deps.log)
        : Response.json(await (answer as Promise<Json>));
    });
  }
  app.notFound((context) => {
    throw fault('NOT_FOUND', { what: `operation ${context.req.method} ${context.req.path}` });
  });
  app.onError((error, context) => sendFault(context, error, deps.log));
  return app;
}

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/** A web page that was given our address by a rebound name must not reach the API. */
async function refuseForeignOrigins(context: Context, next: () => Promise<void>): Promise<void> {
  const host = context.req.header('host') ?? '';
  const origin = context.req.header('origin') ?? '';
  const originHost = origin.replace(/^https?:\/\//, '');
  if (!loopback.test(host) || (origin !== '' && !loopback.test(originHost))) {
    throw fault('ORIGIN_REFUSED', { host, origin });
  }
  await next();
}

const anybody: Identity = { actor: 'surety:anybody', roles: [] };

function identify(context: Context, deps: ServerDeps): Identity {
  const given = context.req.header('authorization')?.replace(/^Bearer /i, '') ?? '';
  const identity = deps.identify(given);
  if (identity === undefined) throw fault('UNAUTHORIZED', {});
  return identity;
}

function checkRole(key: string, { open, roles = [] }: Operation, identity: Identity): void {
  if (open || hasRole(identity.roles, roles)) return;
  if (identity.actor.startsWith('agent:')) throw fault('NOT_FOR_AGENTS', { operation: key });
  throw fault('ROLE_NEEDED', {
    operation: key,
    roles: [...roles, 'admin'].join(', '),
    have: identity.roles.join(', '),
  });
}

async function readRequest(context: Context, key: string, operation: Operation): Promise<object> {
  const request: Record<string, unknown> = {};
  if (operation.path) request.path = check(key, operation.path, context.req.param());
  if (operation.query) request.query = check(key, operation.query, context.req.query());
  if (operation.body) request.body = check(key, operation.body, await readBody(context));
  return request;
}

async function readBody(context: Context): Promise<Json> {
  const limit = limits.requestBytesMax;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Counted while it arrives: what the caller says about the length is the caller's word.
  for await (const chunk of context.req.raw.body ?? []) {
    bytes += chunk.length;
    if (bytes > limit) throw fault('REQUEST_TOO_LARGE', { limit });
    chunks.push(chunk);
  }
  return parseStrictJson(decode(Buffer.concat(chunks)));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw fault('JSON_INVALID', { reason: 'it is not UTF-8' }, error);
  }
}

function check(operation: string, schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const reason = error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ');
  throw fault('REQUEST_INVALID', { operation, reason });
}

/** Each event's id is the entry's number, so a client that was cut off knows where to go on. */
function sendEvents(context: Context, events: AsyncIterable<{ seq: number }>, log: Log): Response {
  return streamSSE(context, async (stream) => {
    try {
      for await (const event of events) {
        if (stream.aborted) break;
        await stream.writeSSE({ id: String(event.seq), data: JSON.stringify(event) });
      }
    } catch (error) {
      const report = toFault(error).report();
      log('error', 'stream-failed', report);
      await stream.writeSSE({ event: 'fault', data: JSON.stringify(report) });
    }
  });
}

function sendFault(context: Context, error: unknown, log: Log): Response {
  const found = toFault(error);
  const { definition } = found;
  if (definition.blame !== 'caller') {
    const cause = found.cause instanceof Error ? (found.cause.stack ?? '') : '';
    log('error', 'request-failed', { path: context.req.path, ...found.report(), cause });
  }
  return Response.json({ fault: found.report() }, { status: definition.status });
}
