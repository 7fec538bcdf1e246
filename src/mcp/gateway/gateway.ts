import { setTimeout as delay } from 'node:timers/promises';
import { type Act, fault, type Grant, type Identity, type JsonObject } from '../../kernel/index.ts';
import { mcpLimits } from '../limits.ts';
import { execute } from './calls/execute.ts';
import { Conversations } from './clients/conversations.ts';
import { createEndpoint } from './clients/endpoint.ts';
import { ClientSessions } from './clients/sessions.ts';
import type { GatewayPorts, UpstreamSpec } from './ports.ts';
import type { Upstream } from './upstream/upstream.ts';
import { type ListKind, Upstreams } from './upstream/upstreams.ts';

export interface GatewayOptions {
  readonly specs: readonly UpstreamSpec[];
  readonly version: string;
  readonly ports: GatewayPorts;
  /** How long a client may take to send a message. */
  readonly bodyMsMax?: number;
}

/** What the runtime itself executes: a read for a decision, a step of a recovery. */
export interface RuntimeCall extends Pick<Grant, 'proposal' | 'key' | 'signal'> {
  readonly arguments: JsonObject;
}

/** Whether a tool server is connected. */
export interface ServerState {
  readonly name: string;
  readonly isConnected: boolean;
  /** Null if it is connected, or was not tried yet. */
  readonly reason: string | null;
}

/** Any number of tool servers behind one address, with every call decided before it is made. */
export interface Gateway {
  /** Settles when every upstream was tried once. */
  readonly ready: Promise<void>;
  handle(request: Request, caller: Identity): Promise<Response>;
  /** Whether a tool can be called now. */
  has(tool: string): boolean;
  run(tool: string, call: RuntimeCall): Promise<JsonObject>;
  /** Each server, and why it is not connected. */
  servers(): readonly ServerState[];
  /** Looks again at what is held. */
  reconsider(): Promise<void>;
  close(): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { specs, version, bodyMsMax = mcpLimits.mcpBodyMsMax } = options;
  const work = trackWork(options.ports.act);
  const ports = { ...options.ports, act: work.act };
  const upstreams = new Upstreams(specs, version, ports, {
    onListChanged: (kind) => {
      sessions.listChanged(kind);
      tellModern[kind]();
    },
    onResourceUpdated: (uri, params) => {
      sessions.resourceUpdated(uri, params);
      endpoint.modern.notify.resourceUpdated(uri);
    },
    onMessage: (params) => sessions.message(params),
  });
  const deps = { upstreams, ports, version, conversations: new Conversations() };
  const sessions = new ClientSessions(deps);
  const ready = Promise.all(upstreams.all.map((upstream) => upstream.start())).then(
    () => undefined,
  );
  const endpoint = createEndpoint({
    ...deps,
    sessions,
    gathered: Promise.race([ready, whenLate(upstreams.all)]),
    bodyMsMax,
  });
  const tellModern: Record<ListKind, () => void> = {
    tools: () => endpoint.modern.notify.toolsChanged(),
    prompts: () => endpoint.modern.notify.promptsChanged(),
    resources: () => endpoint.modern.notify.resourcesChanged(),
  };
  return {
    ready,
    handle: endpoint.handle,
    has: (tool) => upstreams.find(tool) !== undefined,
    run: async (name, { arguments: given, ...grant }) => {
      const tool = await upstreams.whenOffered(name, grant.signal);
      if (!tool) throw fault('UPSTREAM_AWAY', { tool: name });
      if (tool.state === 'blocked') throw fault('TOOL_BLOCKED', { tool: name });
      const { timeoutMs } = ports.terms(name);
      const nobody = {
        exchange: undefined,
        own: undefined,
        gone: undefined,
        onProgress: undefined,
      };
      const call = { tool, arguments: given, timeoutMs, meta: () => ({}), ...nobody };
      return execute(call, grant, ports, {});
    },
    servers: () => upstreams.all.map((upstream) => stateOf(upstream)),
    reconsider: () => upstreams.reconsider(),
    close: async () => {
      await work.end();
      await endpoint.modern.close();
      await sessions.close();
      await upstreams.close();
    },
  };
}

const endMsMax = 2_000;

/** Some server is there, and the others have had their time. */
async function whenLate(upstreams: readonly Upstream[]): Promise<void> {
  await Promise.race(upstreams.map((upstream) => upstream.ready));
  await late(mcpLimits.upstreamGatherMsMax);
}

function late(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false });
}

/** So that whoever leaves can wait a moment for what is under way. */
function trackWork(act: Act): { readonly act: Act; end(): Promise<void> } {
  const open = new Set<Promise<unknown>>();
  return {
    act: async (proposal, run) => {
      const outcome = act(proposal, run);
      open.add(outcome);
      return outcome.finally(() => open.delete(outcome));
    },
    end: async () => {
      await Promise.race([Promise.allSettled(open), late(endMsMax)]);
    },
  };
}

function stateOf({ name, isUp, awayReason }: Upstream): ServerState {
  return { name, isConnected: isUp, reason: awayReason };
}
