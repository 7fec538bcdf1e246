import {
  ProtocolError,
  ProtocolErrorCode,
  type ServerCapabilities,
} from '@modelcontextprotocol/server';
import { type Identity, isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';
import { mcpLimits } from '../limits.ts';
import type { CallDeps } from './calls/call-tool.ts';
import type { ClientRequest } from './clients/asked.ts';
import type { ClientExchange } from './clients/exchange.ts';
import type { OwnSessions } from './clients/own-sessions.ts';
import { untilComplete } from './clients/until-complete.ts';
import { isOpenTo } from './lists.ts';
import type { Upstream } from './upstream/upstream.ts';
import { isProtocolError } from './upstream/upstream-failure.ts';

export async function getPrompt(
  asked: ClientRequest,
  exchange: ClientExchange,
  deps: CallDeps,
): Promise<JsonObject> {
  const { name, ...rest } = asked.params;
  const place = promptPlace(asked, String(name), deps);
  return pass('prompts/get', { ...rest, name: place.name }, place.upstream, asked, exchange);
}

/** From whoever has it: a server that does not know an address says so, and the next is asked. */
export async function readResource(
  asked: ClientRequest,
  exchange: ClientExchange,
  deps: CallDeps,
): Promise<JsonObject> {
  const uri = String(asked.params.uri);
  const able = deps.upstreams.withResource(uri).filter((one) => isOpenTo(asked.caller, one, deps));
  return firstAnswer(able, `Resource ${uri} not found`, (upstream) =>
    pass('resources/read', asked.params, upstream, asked, exchange),
  );
}

export async function complete(asked: ClientRequest, deps: CallDeps): Promise<JsonObject> {
  const { caller, params } = asked;
  const { ref, ...rest } = params;
  const about = (isJsonObject(ref ?? null) ? ref : {}) as JsonObject;
  if (about.type === 'ref/prompt') {
    const { upstream, name } = promptPlace(asked, String(about.name), deps);
    return pass('completion/complete', { ...rest, ref: { ...about, name } }, upstream, asked);
  }
  const open = deps.upstreams.all.filter((one) => isOpenTo(caller, one, deps));
  const able = open.toSorted(
    (one, other) =>
      Number(!capabilitiesOf(one, asked).completions) -
      Number(!capabilitiesOf(other, asked).completions),
  );
  return firstAnswer(able, 'Nothing to complete', (upstream) =>
    pass('completion/complete', params, upstream, asked),
  );
}

/** For a connection of the older revision; what it heard about ends with it. */
export async function subscribe(
  { params, caller, memory }: ClientRequest,
  wanted: boolean,
  deps: CallDeps,
): Promise<JsonObject> {
  const uri = String(params.uri);
  await memory.subscriptions.get(uri)?.();
  memory.subscriptions.delete(uri);
  if (!wanted) return {};
  if (memory.subscriptions.size >= mcpLimits.subscriptionsMax) {
    const reason = `No more than ${mcpLimits.subscriptionsMax} resources at once; unsubscribe from one first`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, reason);
  }
  const able = deps.upstreams
    .withResource(uri)
    .filter((one) => one.olderCapabilities.resources?.subscribe && isOpenTo(caller, one, deps));
  const end = await firstAnswer(able, `Resource ${uri} not found`, (upstream) =>
    hear(upstream, uri, memory.own),
  );
  memory.subscriptions.set(uri, end);
  return {};
}

async function hear(
  upstream: Upstream,
  uri: string,
  own?: OwnSessions,
): Promise<() => Promise<void>> {
  const session = await upstream.sessionFor(own);
  if (session.isModern) {
    const subscription = await session.listen({ resourceSubscriptions: [uri] });
    return () => subscription.close();
  }
  await session.request({ method: 'resources/subscribe', params: { uri } }, {});
  return async () => {
    // On a line that is shared, somebody else may still want to hear about it.
    if (upstream.isShared(session)) return;
    await session.request({ method: 'resources/unsubscribe', params: { uri } }, {});
  };
}

async function pass(
  method: string,
  params: JsonObject,
  upstream: Upstream,
  asked: ClientRequest,
  exchange?: ClientExchange,
): Promise<JsonObject> {
  const { gone: signal, onProgress } = asked;
  const session = await upstream.sessionFor(asked.memory.own);
  const _meta = asked.meta(session.isModern);
  const { _meta: _, ...rest } = params;
  const { inputResponses } = asked;
  const whole = {
    ...rest,
    ...(inputResponses && session.isModern ? { inputResponses } : {}),
    ...(Object.keys(_meta).length > 0 ? { _meta } : {}),
  };
  return untilComplete(whole, exchange, (given) =>
    session.request({ method, params: given }, { exchange, signal, onProgress }),
  );
}

function promptPlace(asked: ClientRequest, name: string, deps: CallDeps) {
  const place = deps.upstreams.inside(name);
  const has = place && capabilitiesOf(place.upstream, asked).prompts;
  if (has && isOpenTo(asked.caller, place.upstream, deps)) return place;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${name} not found`);
}

/** What a server can do for this client. */
function capabilitiesOf(upstream: Upstream, { memory }: ClientRequest): ServerCapabilities {
  return memory.own ? upstream.olderCapabilities : upstream.capabilities;
}

async function firstAnswer<Answer>(
  able: readonly Upstream[],
  none: string,
  ask: (upstream: Upstream) => Promise<Answer>,
): Promise<Answer> {
  let refusal: unknown = new ProtocolError(ProtocolErrorCode.InvalidParams, none);
  for (const upstream of able) {
    try {
      return await ask(upstream);
    } catch (error) {
      if (!isProtocolError(error)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/**
 * For a client of the newer revision: it says on one stream what it wants to hear about. Gives the
 * end of that, for a stream that never came to be; one that did ends with its client.
 */
export async function hearResources(
  body: JsonObject,
  gone: AbortSignal,
  caller: Identity,
  deps: CallDeps,
): Promise<() => void> {
  const ends: (() => Promise<void>)[] = [];
  const leave = (): void => {
    for (const end of ends.splice(0)) void end().catch(() => undefined);
  };
  gone.addEventListener('abort', leave, { once: true });
  const { notifications } = (isJsonObject(body.params ?? null) ? body.params : {}) as JsonObject;
  const { resourceSubscriptions: wanted } = (notifications ?? {}) as {
    resourceSubscriptions?: Json;
  };
  for (const uri of Array.isArray(wanted) ? wanted.slice(0, mcpLimits.subscriptionsMax) : []) {
    const able = deps.upstreams
      .withResource(String(uri))
      .filter((one) => one.capabilities.resources?.subscribe && isOpenTo(caller, one, deps));
    const end = await firstAnswer(able, 'none', (upstream) => hear(upstream, String(uri))).catch(
      () => undefined,
    );
    if (end) ends.push(end);
  }
  if (gone.aborted) leave();
  return leave;
}
