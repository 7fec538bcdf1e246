import { isJsonObject, type JsonObject } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { ProtocolMessage } from '../clients/exchange.ts';
import { isOwnName, listedName, nameInside, nameOutside, unlistedName } from '../names.ts';
import type { GatewayPorts, PinState, ToolDefinition, UpstreamSpec } from '../ports.ts';
import { Upstream } from './upstream.ts';

/** A tool as clients see it, and where it is. */
export interface OfferedTool {
  readonly name: string;
  readonly upstream: Upstream;
  readonly definition: ToolDefinition;
  readonly state: PinState;
}

export type ListKind = 'tools' | 'prompts' | 'resources';

export interface UpstreamsEvents {
  onListChanged(kind: ListKind): void;
  onResourceUpdated(uri: string, params: JsonObject): void;
  /** A message that belongs to no request. */
  onMessage(params: JsonObject): void;
}

/** All servers behind the gateway, as one. */
export class Upstreams {
  readonly all: readonly Upstream[];
  readonly #ports: GatewayPorts;
  readonly #events: UpstreamsEvents;
  readonly #names: readonly string[];
  readonly #offered = new Map<string, OfferedTool>();
  /** By the name in lists. Of a server that is away, what it offered last. */
  readonly #listed = new Map<string, Pick<OfferedTool, 'name' | 'upstream'>>();
  readonly #waiting = new Set<() => void>();
  /** Names of tools with an output schema; also of servers that are away now. */
  readonly #promising = new Set<string>();
  /** Who listed a resource last: two servers may have the same addresses. */
  readonly #resources = new Map<string, Upstream>();

  constructor(
    specs: readonly UpstreamSpec[],
    version: string,
    ports: GatewayPorts,
    events: UpstreamsEvents,
  ) {
    this.#ports = ports;
    this.#events = events;
    this.#names = specs.map(({ name }) => name);
    const heard = {
      onTools: (upstream: Upstream) => this.#offer(upstream),
      onNotification: (told: ProtocolMessage) => this.#told(told),
    };
    const { log } = ports;
    this.all = specs.map((spec) => new Upstream({ spec, version, log, events: heard }));
  }

  get isOnly(): boolean {
    return this.all.length === 1;
  }

  find(given: string): OfferedTool | undefined {
    const name = this.unlistedName(given);
    return this.#ports.isTaken(name) ? undefined : this.#offered.get(name);
  }

  listedName(name: string): string {
    return listedName(name, this.isOnly);
  }

  /** A text for a model, which knows tools only by their listed names. */
  withListedNames(text: string): string {
    return text.replace(/\w[\w./:@+-]*\w/g, (word) =>
      this.#offered.has(word) ? this.listedName(word) : word,
    );
  }

  /** The name in policies of what a client calls by that name or by the listed one. */
  unlistedName(given: string): string {
    if (this.#offered.has(given)) return given;
    return this.#listed.get(given)?.name ?? unlistedName(given, this.#names);
  }

  /** Whether a tool has said what its structured content is like. */
  promises(tool: string): boolean {
    return this.#promising.has(tool);
  }

  /** As surety.yaml names the servers, whichever of them was there first. */
  inOrder(): OfferedTool[] {
    const all = [...this.#offered.values()].filter(({ name }) => !this.#ports.isTaken(name));
    return this.all.flatMap((one) => all.filter(({ upstream }) => upstream === one));
  }

  nameOutside({ name: server }: Upstream, name: string): string {
    return nameOutside(server, name, this.isOnly);
  }

  /** Where something with such a name would be, whether it is there now or not. */
  inside(outside: string): { readonly upstream: Upstream; readonly name: string } | undefined {
    const found = nameInside(this.unlistedName(outside), this.#names);
    const upstream = this.all.find(({ name }) => name === found?.server);
    return upstream && found ? { upstream, name: found.name } : undefined;
  }

  /** Waits for a server that is being started again, as long as `signal` lets it. */
  async whenOffered(name: string, signal: AbortSignal): Promise<OfferedTool | undefined> {
    while (!this.#offered.has(name) && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      this.#waiting.delete(resolve);
    }
    return this.find(name);
  }

  /** How many addresses are remembered. */
  get learned(): number {
    return this.#resources.size;
  }

  learnResource(uri: string, upstream: Upstream): void {
    if (this.#resources.size >= mcpLimits.learnedResourcesMax) this.#resources.clear();
    this.#resources.set(uri, upstream);
  }

  /** Whoever may have it, the likeliest first. */
  withResource(uri: string): readonly Upstream[] {
    const able = this.all.filter(({ isUp, capabilities }) => isUp && capabilities.resources);
    const known = this.#resources.get(uri);
    if (!known || !able.includes(known)) return able;
    return [known, ...able.filter((other) => other !== known)];
  }

  /** A person has looked at a changed definition and takes it. */
  async reconsider(): Promise<void> {
    for (const upstream of this.all) if (upstream.isUp) await this.#offer(upstream);
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((upstream) => upstream.close()));
  }

  /** Nothing is offered before it is pinned: a ledger that is away leaves no tools. */
  async #offer(upstream: Upstream): Promise<void> {
    const named = this.#named(upstream);
    const states =
      named.length > 0 ? await this.#ports.pin(upstream.name, new Map(named)) : new Map();
    for (const [name, tool] of this.#offered) {
      if (tool.upstream === upstream) this.#offered.delete(name);
    }
    for (const [name, definition] of named) {
      const state: PinState = states.get(name) ?? 'blocked';
      this.#offered.set(name, { name, upstream, definition, state });
      if (isJsonObject(definition.outputSchema ?? null)) this.#promising.add(name);
      else this.#promising.delete(name);
    }
    if (named.length > 0) this.#relist(upstream);
    for (const look of this.#waiting) look();
    this.#events.onListChanged('tools');
  }

  #relist(upstream: Upstream): void {
    for (const [listed, tool] of this.#listed) {
      if (tool.upstream === upstream) this.#listed.delete(listed);
    }
    for (const tool of this.#offered.values()) {
      if (tool.upstream === upstream) this.#listed.set(this.listedName(tool.name), tool);
    }
  }

  /** By the names that clients use, without those that are not a server's to have. */
  #named(upstream: Upstream): (readonly [name: string, definition: ToolDefinition])[] {
    const all = [...upstream.tools].map(
      ([name, definition]) => [this.nameOutside(upstream, name), definition] as const,
    );
    const { isTaken, log } = this.#ports;
    return all.filter(([tool]) => {
      if (!isTaken(tool) && !isOwnName(tool)) return true;
      log('warn', 'upstream-tool-left-out', { upstream: upstream.name, tool });
      return false;
    });
  }

  #told({ method, params = {} }: ProtocolMessage): void {
    const uri = String(params.uri);
    const { onListChanged, onResourceUpdated, onMessage } = this.#events;
    if (method === 'notifications/prompts/list_changed') onListChanged('prompts');
    if (method === 'notifications/resources/list_changed') onListChanged('resources');
    if (method === 'notifications/resources/updated') onResourceUpdated(uri, params);
    if (method === 'notifications/message') onMessage(params);
  }
}
