import {
  type ClientCapabilities,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import {
  fault,
  type Identity,
  isJsonObject,
  type JsonObject,
  systemRandom,
} from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import { type ClientDescription, olderRevision } from '../upstream/upstream-session.ts';
import type { ListKind } from '../upstream/upstreams.ts';
import type { Memory } from './asked.ts';
import { type ClientServerDeps, createClientServer } from './client-server.ts';
import type { ProtocolMessage } from './exchange.ts';
import { isWanted } from './log-levels.ts';
import { OwnSessions } from './own-sessions.ts';
import { EventBudget, RecentEvents } from './recent-events.ts';

interface Session {
  readonly caller: Identity;
  readonly server: Server;
  readonly memory: Memory;
  readonly events: RecentEvents;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

/** When a client whose stream was ended comes back for the rest. */
const resumeMs = 500;

/** Tools are told of by the gateway itself, after it has looked at them. */
const passedOn: ReadonlySet<string> = new Set([
  'notifications/message',
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
]);

/** Connections of the older revision, each of one agent and nobody else. */
export class ClientSessions {
  readonly #deps: ClientServerDeps;
  /** In the order in which they were last used. */
  readonly #open = new Map<string, Session>();
  /** By the agent's name. */
  readonly #eventBudgets = new Map<string, EventBudget>();

  constructor(deps: ClientServerDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size;
  }

  async handle(request: Request, caller: Identity, body: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const session = id === null ? await this.#begin(caller, body) : this.#find(id, caller);
    return session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
  }

  listChanged(kind: ListKind): void {
    for (const { server } of this.#open.values()) {
      const told = {
        tools: () => server.sendToolListChanged(),
        prompts: () => server.sendPromptListChanged(),
        resources: () => server.sendResourceListChanged(),
      }[kind]();
      told.catch(() => undefined);
    }
  }

  resourceUpdated(uri: string, params: JsonObject): void {
    for (const { server, memory } of this.#open.values()) {
      if (!memory.subscriptions.has(uri)) continue;
      server.sendResourceUpdated({ ...params, uri }).catch(() => undefined);
    }
  }

  /** What an upstream says on its own is one agent's to read only if there is but one. */
  message(params: JsonObject): void {
    const actors = new Set([...this.#open.values()].map(({ caller }) => caller.actor));
    if (actors.size !== 1) return;
    for (const { server, memory } of this.#open.values()) {
      if (!isWanted(params, memory.level)) continue;
      const notification = { method: 'notifications/message', params: { ...params } };
      server
        .notification(notification as Parameters<Server['notification']>[0])
        .catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.#end(id)));
  }

  /** What a server says in a client's own session. */
  #tell({ server, memory }: Session, { method, params = {} }: ProtocolMessage): void {
    const uri = String(params.uri);
    if (method === 'notifications/message' && !isWanted(params, memory.level)) return;
    if (method === 'notifications/resources/updated' && !memory.subscriptions.has(uri)) return;
    if (!passedOn.has(method)) return;
    const notification = { method, params: { ...params } };
    server
      .notification(notification as Parameters<Server['notification']>[0])
      .catch(() => undefined);
  }

  #find(id: string, caller: Identity): Session {
    const session = this.#open.get(id);
    if (!session || session.caller.actor !== caller.actor) {
      throw fault('NOT_FOUND', { what: 'session' });
    }
    this.#open.delete(id);
    this.#open.set(id, session);
    return session;
  }

  async #begin(caller: Identity, body: unknown): Promise<Session> {
    const own = new OwnSessions(introduced(body, this.#deps.version), (told) =>
      this.#tell(session, told),
    );
    await own.meet(this.#deps.upstreams.all);
    const memory: Memory = { subscriptions: new Map(), own };
    const budget = this.#eventBudgets.get(caller.actor) ?? new EventBudget();
    this.#eventBudgets.set(caller.actor, budget);
    const events = new RecentEvents(budget);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => Buffer.from(systemRandom(18)).toString('base64url'),
      onsessioninitialized: (id) => {
        this.#open.set(id, session);
        this.#makeRoom(caller);
      },
      onsessionclosed: (id) => this.#end(id),
      eventStore: events,
      retryInterval: resumeMs,
    });
    const server = createClientServer(caller, memory, this.#deps);
    const session: Session = { caller, server, memory, events, transport };
    await server.connect(transport);
    return session;
  }

  /** The one that was not used for longest goes: its client opens another when it needs one. */
  #makeRoom(caller: Identity): void {
    const own = [...this.#open].filter(([, { caller: other }]) => other.actor === caller.actor);
    const [oldest] = own;
    if (oldest && own.length > mcpLimits.mcpSessionsMax) void this.#end(oldest[0]);
  }

  async #end(id: string): Promise<void> {
    const session = this.#open.get(id);
    this.#open.delete(id);
    for (const end of session?.memory.subscriptions.values() ?? [])
      await end().catch(() => undefined);
    await session?.memory.own?.close();
    await session?.server.close().catch(() => undefined);
    session?.events.clear();
  }
}

/** How a client introduces itself. What is wrong with it is the SDK's to say. */
function introduced(body: unknown, version: string): ClientDescription {
  const { params = null } = isJsonObject(body) ? body : {};
  const { clientInfo, capabilities, protocolVersion } = isJsonObject(params) ? params : {};
  const info = isJsonObject(clientInfo ?? null) ? clientInfo : { name: 'surety', version };
  const isKnown = SUPPORTED_PROTOCOL_VERSIONS.includes(String(protocolVersion));
  return {
    info: info as unknown as ClientDescription['info'],
    capabilities: (isJsonObject(capabilities ?? null) ? capabilities : {}) as ClientCapabilities,
    revision: isKnown ? String(protocolVersion) : olderRevision,
  };
}
