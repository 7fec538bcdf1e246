import {
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { fault, type Identity, type JsonObject, systemRandom } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { ListKind } from '../upstream/upstreams.ts';
import type { Memory } from './asked.ts';
import { type ClientServerDeps, createClientServer } from './client-server.ts';
import { isWanted } from './log-levels.ts';

interface Session {
  readonly caller: Identity;
  readonly server: Server;
  readonly memory: Memory;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

/** Connections of the older revision, each of one agent and nobody else. */
export class ClientSessions {
  readonly #deps: ClientServerDeps;
  /** In the order in which they were last used. */
  readonly #open = new Map<string, Session>();

  constructor(deps: ClientServerDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size;
  }

  async handle(request: Request, caller: Identity, body: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const session = id === null ? await this.#begin(caller) : this.#find(id, caller);
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

  #find(id: string, caller: Identity): Session {
    const session = this.#open.get(id);
    if (!session || session.caller.actor !== caller.actor) {
      throw fault('NOT_FOUND', { what: 'session' });
    }
    this.#open.delete(id);
    this.#open.set(id, session);
    return session;
  }

  async #begin(caller: Identity): Promise<Session> {
    const memory: Memory = { subscriptions: new Map() };
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => Buffer.from(systemRandom(18)).toString('base64url'),
      onsessioninitialized: (id) => {
        this.#open.set(id, session);
        this.#makeRoom(caller);
      },
      onsessionclosed: (id) => this.#end(id),
    });
    const server = createClientServer(caller, memory, this.#deps);
    const session: Session = { caller, server, memory, transport };
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
    await session?.server.close().catch(() => undefined);
  }
}
