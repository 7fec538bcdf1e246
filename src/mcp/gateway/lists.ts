import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Identity, isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';
import { mcpLimits } from '../limits.ts';
import type { CallDeps } from './calls/call-tool.ts';
import { ownTools } from './calls/own-tools.ts';
import type { ClientRequest } from './clients/asked.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Upstream } from './upstream/upstream.ts';
import { isProtocolError } from './upstream/upstream-failure.ts';

/** What this caller may call, without what is held. */
export function listTools(caller: Identity, { ports, upstreams }: CallDeps): JsonObject {
  const offered = upstreams
    .inOrder()
    .filter(({ name, state }) => state === 'accepted' && ports.sees(caller, name));
  const tools = offered.map(({ name, definition }) => ({
    ...definition,
    name: upstreams.listedName(name),
  }));
  return { tools: [...tools, ...ownTools(caller, ports)] };
}

/** Resources and prompts of a server are for those who may use one of its tools. */
export function isOpenTo(caller: Identity, upstream: Upstream, { ports, upstreams }: CallDeps) {
  if (!upstream.isUp) return false;
  if (upstream.tools.size === 0) return true;
  return [...upstream.tools.keys()].some((name) =>
    ports.sees(caller, upstreams.nameOutside(upstream, name)),
  );
}

export interface ListMethod {
  readonly method: string;
  readonly items: string;
  readonly capability: 'prompts' | 'resources';
}

/** Servers one after another; a page ends where a server's own page does. */
export async function listPage(
  { method, items, capability }: ListMethod,
  { params, caller, gone: signal, memory }: ClientRequest,
  deps: CallDeps,
): Promise<JsonObject> {
  const { upstreams } = deps;
  const { cursor: given, ...rest } = params;
  const start = readCursor(given === undefined ? undefined : String(given), upstreams.isOnly);
  if (!start) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
  const found: Json[] = [];
  let within = start.within;
  for (let index = start.server; index < upstreams.all.length; index++) {
    const upstream = upstreams.all[index];
    if (!upstream?.capabilities[capability] || !isOpenTo(caller, upstream, deps)) continue;
    const cursor = within === undefined ? {} : { cursor: within };
    const session = await upstream.sessionFor(memory.own);
    const message = { method, params: { ...rest, ...cursor } };
    const timeoutMs = mcpLimits.upstreamListMsMax;
    const answer = await session.request(message, { signal, timeoutMs }).catch((error) => {
      // The others have what they have, whatever this one does.
      if (upstreams.isOnly || given !== undefined || isProtocolError(error)) throw error;
      return {} as JsonObject;
    });
    const page = Array.isArray(answer[items]) ? answer[items] : [];
    found.push(...page.map((item) => shown(item, upstream, capability, deps)));
    const { nextCursor, ...others } = answer;
    const whole = upstreams.isOnly ? others : {};
    if (typeof nextCursor === 'string') {
      const next = writeCursor({ server: index, within: nextCursor }, upstreams.isOnly);
      return { ...whole, [items]: found, nextCursor: next };
    }
    if (upstreams.isOnly) return { ...whole, [items]: found };
    within = undefined;
  }
  return { [items]: found };
}

function shown(item: Json, upstream: Upstream, kind: string, { upstreams }: CallDeps): Json {
  if (!isJsonObject(item)) return item;
  if (typeof item.uri === 'string') upstreams.learnResource(item.uri, upstream);
  if (kind === 'resources') return item;
  return { ...item, name: upstreams.nameOutside(upstream, String(item.name)) };
}
