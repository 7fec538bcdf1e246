import type { IncomingMessage } from 'node:http';
import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import {
  fault,
  hasRole,
  type Identity,
  type Json,
  type JsonObject,
  type Log,
  parseStrictJson,
  sharedLimits,
  toFault,
} from '../kernel/index.ts';
import { collectBody } from './collect-body.ts';
import { type Operation, type OperationKey, operations } from './contract.ts';
import { type DoorDeps, doorHeaders, enter } from './door.ts';
import { apiLimits } from './limits.ts';
import type { Given, OnForbidden, Perform } from './perform.ts';
import { type ConnectionEnd, type ProofRequest, proofOf, proofPath } from './proof.ts';

export interface ServerDeps extends DoorDeps {
  /** The token with this hash; undefined if nobody has it. */
  readonly tokenOf: (hash: string) => string | undefined;
  readonly perform: Perform;
  readonly onForbidden: OnForbidden;
  readonly mcp: readonly McpPlace[];
  /** Passes requests of agents on to models; it refuses in the words of the provider. */
  readonly models: (request: Request, enter: () => Identity) => Promise<Response>;
  readonly log: Log;
  /** How long an event may stay unread, if not the usual time. */
  readonly unreadMsMax?: number;
}

/** The API as a fetch handler: every operation of the contract, and nothing else. */
export function createApi(deps: ServerDeps): Hono {
  const app = new Hono();
  app.use(refuseForeignOrigins);
  mountProof(app, deps);
  mountMcp(app, deps);
  mountModels(app, deps);
  for (const [key, operation] of Object.entries<Operation>(operations)) {
    const [method = '', path = ''] = key.split(' ');
    app.on(method, path.replace(/\{(\w+)\}/g, ':$1'), async (context) => {
      const identity = operation.open
        ? anybody
        : enter(context.req.header('authorization'), 'api', deps);
      const idempotencyKey = context.req.header('idempotency-key');
      const call = { ...identity, key: idempotencyKey, signal: context.req.raw.signal };
      const { answer } = await deps.perform(key as OperationKey, call, () =>
        read(context, operation),
      );
      return operation.stream
        ? sendEvents(context, answer as AsyncIterable<{ seq: number } & Json>, deps)
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

const proofBytesMax = 1_024;

/** Lets a client find out, before it sends its token, that it talks to the daemon of this token. */
function mountProof(app: Hono, { tokenOf }: ServerDeps): void {
  app.post(proofPath, async (context) => {
    const { tokenHash, nonce } = (await readBody(context, proofBytesMax)) as Partial<ProofRequest>;
    const token = tokenOf(String(tokenHash));
    if (token === undefined) throw fault('UNAUTHORIZED', {});
    return Response.json({ proof: proofOf(token, String(nonce), serverEnd(context)) });
  });
}

/** Our end of the connection, as the kernel knows it: a header could be the one of another. */
function serverEnd(context: Context): ConnectionEnd {
  const { socket } = incomingOf(context);
  return { address: socket.localAddress ?? '', port: socket.localPort ?? 0 };
}

function incomingOf({ env }: Context): IncomingMessage {
  return (env as { readonly incoming: IncomingMessage }).incoming;
}

const anybody: Identity = { actor: 'surety:anybody', roles: [] };

async function read(context: Context, { body }: Operation): Promise<Given> {
  const given = { path: context.req.param(), query: readQuery(context) };
  return body ? { ...given, body: await readBody(context, sharedLimits.requestBytesMax) } : given;
}

/** A parameter that occurs twice stays a list, which no operation accepts. */
function readQuery({ req }: Context): Record<string, string | string[]> {
  const entries = Object.entries(req.queries());
  return Object.fromEntries(
    entries.map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

async function readBody(context: Context, limit: number): Promise<Json> {
  return parseStrictJson(decode(await collectBody(context.req.raw, limit)));
}

const strictText = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return strictText.decode(bytes);
  } catch (error) {
    throw fault('JSON_INVALID', { reason: 'it is not UTF-8' }, error);
  }
}

/** Each event's id is the entry's number, so a client that was cut off knows where to go on. */
function sendEvents(
  context: Context,
  events: AsyncIterable<{ seq: number }>,
  { log, unreadMsMax = apiLimits.streamUnreadMsMax }: ServerDeps,
): Response {
  const { socket } = incomingOf(context);
  return streamSSE(context, async (stream) => {
    // A reader that stopped reading would hold its connection, and what waits for it, for ever.
    const cutOff = (): void => {
      log('warn', 'stream-unread', { path: context.req.path });
      socket.destroy();
    };
    try {
      for await (const event of events) {
        if (stream.aborted) break;
        const late = setTimeout(cutOff, unreadMsMax);
        await stream.writeSSE({ id: String(event.seq), data: JSON.stringify(event) });
        clearTimeout(late);
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
  const headers = doorHeaders(found);
  return Response.json({ fault: found.report() }, { status: definition.status, headers });
}

interface McpPlace {
  readonly path: string;
  readonly title: string;
  readonly handle: (request: Request, caller: Identity) => Promise<Response>;
}

const metadataPath = '/.well-known/oauth-protected-resource';
const roles = ['agent', 'developer', 'operator'] as const;

/** Addresses that speak MCP. Their answers are the protocol's own: they are no operations. */
function mountMcp(app: Hono, { mcp: places, onForbidden, ...door }: ServerDeps): void {
  for (const place of places) {
    app.get(`${metadataPath}${place.path}`, (context) => describe(place, context));
    app.all(place.path, async (context) => {
      try {
        const caller = enter(context.req.header('authorization'), 'mcp', door);
        await checkRole(place, caller, onForbidden);
        return await place.handle(context.req.raw, caller);
      } catch (error) {
        return refuse(error, place, context);
      }
    });
  }
  const [first] = places;
  if (first) app.get(metadataPath, (context) => describe(first, context));
}

/** Clients of some providers send their key, here the caller's token, in a header of its own. */
function mountModels(app: Hono, { models, ...door }: ServerDeps): void {
  app.all('/models/*', (context) => {
    const key = context.req.header('x-api-key');
    const given = key === undefined ? context.req.header('authorization') : `Bearer ${key}`;
    return models(context.req.raw, () => enter(given, 'api', door));
  });
}

async function checkRole(
  { path }: McpPlace,
  caller: Identity,
  onForbidden: OnForbidden,
): Promise<void> {
  if (hasRole(caller.roles, roles)) return;
  const have = caller.roles.join(', ');
  const needed = [...roles, 'admin'].join(', ');
  const refused = fault('ROLE_NEEDED', { operation: path, roles: needed, have });
  await onForbidden(caller, path, refused);
  throw refused;
}

/** RFC 9728. Tokens are handed out by whoever runs this, not by a server for them. */
function describe({ path, title }: McpPlace, context: Context): Response {
  return Response.json({
    resource: `http://${context.req.header('host')}${path}`,
    resource_name: title,
    bearer_methods_supported: ['header'],
  });
}

/** For clients of the protocol: whoever is not let in has said nothing that could be answered. */
function refuse(error: unknown, { path }: McpPlace, context: Context): Response {
  const refused = toFault(error);
  const { definition, message, remedy } = refused;
  if (definition.blame !== 'caller') throw error;
  const data = refused.report() as JsonObject;
  const body = {
    jsonrpc: '2.0',
    id: null,
    error: { code: refusedCode, message: `${message} ${remedy}`, data },
  };
  return Response.json(body, {
    status: definition.status,
    headers: { ...doorHeaders(refused), ...challenge(refused.code, path, context) },
  });
}

const refusedCode = -32_000;

function challenge(code: string, path: string, { req }: Context): Record<string, string> {
  if (code !== 'UNAUTHORIZED') return {};
  const address = `http://${req.header('host')}${metadataPath}${path}`;
  const reason = req.header('authorization') ? ', error="invalid_token"' : '';
  return { 'www-authenticate': `Bearer resource_metadata="${address}"${reason}` };
}
