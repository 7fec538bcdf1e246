import { setTimeout as delay } from 'node:timers/promises';
import type { ServerCapabilities } from '@modelcontextprotocol/client';
import type { JsonObject, Log } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { ProtocolMessage } from '../clients/exchange.ts';
import {
  isHeaderValue,
  type RawCall,
  type RawMessage,
  type RawServer,
  rawCall,
  rawServer,
} from '../http/raw-call.ts';
import type { ToolDefinition, UpstreamSpec } from '../ports.ts';
import { fetchTools, ListTooLarge } from './fetch-tools.ts';
import { listenForChanges } from './listen-for-changes.ts';
import { Traffic } from './traffic.ts';
import { isLineDead, LastFailure } from './upstream-failure.ts';
import {
  allCapabilities,
  askedCapabilities,
  type ClientDescription,
  olderRevision,
  UpstreamSession,
  wantsHeaders,
} from './upstream-session.ts';

export interface UpstreamEvents {
  /** Tools came, went or changed; told before anybody is served by them. */
  onTools(upstream: Upstream): Promise<void>;
  onNotification(notification: ProtocolMessage): void;
}

export interface UpstreamOptions {
  readonly spec: UpstreamSpec;
  readonly events: UpstreamEvents;
  readonly log: Log;
  readonly version: string;
}

/** Where a client has sessions of its own. */
interface OwnSessionSource {
  at(upstream: Upstream): Promise<UpstreamSession | undefined>;
}

const steadyMs = 10_000;
const backoffMsMin = 250;
/** How long a new connection waits for the stream of changes before it reads the tools. */
const listenMsMax = 1_000;

/** A server whose connection is opened again, ever more patiently, whenever it breaks. */
export class Upstream {
  readonly name: string;
  readonly #options: UpstreamOptions;
  readonly #traffic: Traffic;
  #raw: RawServer | undefined;
  readonly #leaving = new AbortController();
  /** Shared by everybody who needs no session of their own. */
  #main: UpstreamSession | undefined;
  /** The same for clients of an older revision, where one process speaks but one. */
  #older: Promise<UpstreamSession | undefined> | undefined;
  readonly #own = new Set<UpstreamSession>();
  /** Every session that has not ended, also those that are still being opened. */
  readonly #sessions = new Set<UpstreamSession>();
  #refusesSessions = false;
  #olderCapabilities: ServerCapabilities | undefined;
  #tools: ReadonlyMap<string, ToolDefinition> = new Map();
  #capabilities: ServerCapabilities = allCapabilities;
  readonly #first = Promise.withResolvers<void>();
  #refreshing: Promise<void> | undefined;
  #stale = false;
  #ended: Promise<void> = Promise.resolve();
  #cutOffReason: string | undefined;
  #cutOffs = 0;
  readonly #failure = new LastFailure();

  constructor(options: UpstreamOptions) {
    const { spec, log } = options;
    this.name = spec.name;
    this.#options = options;
    this.#traffic = new Traffic({
      onErrorLine: (line) => {
        this.#failure.wrote(line);
        log('info', 'upstream-said', { upstream: this.name, line: line.slice(0, 2_000) });
      },
      onCutOff: (reason) => this.#cutOff(reason),
    });
    if ('url' in spec) this.#raw = rawServer(new URL(spec.url), spec.headers);
  }

  get spec(): UpstreamSpec {
    return this.#options.spec;
  }

  get isUp(): boolean {
    return this.#main !== undefined;
  }

  /** Why it is not connected, if it has used up what it may use. */
  get cutOffReason(): string | undefined {
    return this.#cutOffReason;
  }

  /** Why it is not connected; null if it is, or was not tried yet. */
  get awayReason(): string | null {
    return this.isUp ? null : (this.#cutOffReason ?? this.#failure.reason);
  }

  get tools(): ReadonlyMap<string, ToolDefinition> {
    return this.#tools;
  }

  /** As it said last: a server that is away for a moment is still what it was. */
  get capabilities(): ServerCapabilities {
    return this.#capabilities;
  }

  /** The same for clients of an older revision, in which it may be able to do more. */
  get olderCapabilities(): ServerCapabilities {
    return this.#olderCapabilities ?? this.#capabilities;
  }

  get isOlderUnknown(): boolean {
    const isAsked = 'url' in this.spec && this.isModern && !this.#refusesSessions;
    return isAsked && this.#olderCapabilities === undefined;
  }

  get instructions(): string | undefined {
    return this.#main?.instructions;
  }

  get isModern(): boolean {
    return this.#main?.isModern === true;
  }

  /** Settles when the first connection stands, or has failed once. */
  start(): Promise<void> {
    this.#ended = this.#stayConnected();
    return this.ready;
  }

  get ready(): Promise<void> {
    return this.#first.promise;
  }

  async close(): Promise<void> {
    this.#leaving.abort();
    await this.#disconnect();
    await this.#ended;
    this.#raw?.lines.close();
  }

  /** The connection for one client: with a session of its own it speaks the client's revision. */
  async sessionFor(own?: OwnSessionSource): Promise<UpstreamSession> {
    const main = this.#main;
    if (!main) throw new Error('Not connected');
    if (!own) return main;
    if ('url' in this.#options.spec) return (await own.at(this)) ?? main;
    return main.isModern ? ((await this.#olderSession()) ?? main) : main;
  }

  /** Undefined where the server does not have it: then all share one connection. */
  async openOwn(
    client: ClientDescription,
    onNotification: (notification: ProtocolMessage) => void,
  ): Promise<UpstreamSession | undefined> {
    if (this.#refusesSessions) return undefined;
    try {
      const session = await this.#open(client, onNotification);
      this.#olderCapabilities = session.capabilities;
      this.#own.add(session);
      void session.ended.then(() => {
        this.#own.delete(session);
        return session.close();
      });
      return session;
    } catch (error) {
      this.#refusesSessions = this.isUp && !isLineDead(error);
      const reason = String(error).slice(0, 300);
      this.#options.log('info', 'upstream-session-refused', { upstream: this.name, reason });
      return undefined;
    }
  }

  isShared(session: UpstreamSession): boolean {
    return !this.#own.has(session);
  }

  /** Undefined where client and server do not speak the same way. */
  callRaw(
    definition: ToolDefinition,
    message: RawMessage,
    ending: Pick<RawCall, 'timeoutMs' | 'signals'>,
    headers: Readonly<Record<string, string>>,
  ): Promise<JsonObject> | undefined {
    const { name: tool } = definition;
    if (!this.#raw || !this.isModern) return undefined;
    if (wantsHeaders(definition) || !isHeaderValue(tool)) return undefined;
    const call = { ...this.#raw, ...message, ...ending, tool, headers };
    const main = this.#main;
    return rawCall(call).catch((error: unknown) => {
      if (isLineDead(error)) void main?.close();
      throw error;
    });
  }

  async #stayConnected(): Promise<void> {
    const { log } = this.#options;
    let waitMs: number = backoffMsMin;
    while (!this.#leaving.signal.aborted) {
      const startedAt = performance.now();
      try {
        const main = await this.#connect();
        this.#first.resolve();
        await main.ended;
        this.#failure.because('it closed the connection');
        log('warn', 'upstream-lost', { upstream: this.name });
      } catch (error) {
        const reason = this.#failure.because(error);
        log('warn', 'upstream-unreachable', { upstream: this.name, reason });
      }
      await this.#disconnect();
      if (this.#capabilities === allCapabilities) this.#capabilities = {};
      this.#first.resolve();
      const upMs = performance.now() - startedAt;
      if (upMs > steadyMs) waitMs = backoffMsMin;
      await this.#pause(this.#cutOffReason === undefined ? waitMs : this.#cutOffMs(upMs));
      waitMs = Math.min(2 * waitMs, mcpLimits.upstreamBackoffMsMax);
    }
  }

  /** Whoever was cut off often waits longer than whoever only broke. */
  #cutOffMs(upMs: number): number {
    const { upstreamCutOffMsMax } = mcpLimits;
    if (upMs > upstreamCutOffMsMax) this.#cutOffs = 0;
    this.#cutOffs += 1;
    return Math.min(1_000 * 2 ** this.#cutOffs, upstreamCutOffMsMax);
  }

  async #pause(waitMs: number): Promise<void> {
    await delay(waitMs, undefined, { signal: this.#leaving.signal }).catch(() => undefined);
  }

  async #connect(): Promise<UpstreamSession> {
    const { version, log } = this.#options;
    this.#cutOffReason = undefined;
    const info = { name: 'surety', version };
    const client = { info, capabilities: askedCapabilities, revision: 'auto' };
    const main = await this.#open(client, (told) => this.#options.events.onNotification(told));
    try {
      this.#assertWanted();
      this.#main = main;
      this.#olderCapabilities = undefined;
      this.#capabilities = main.capabilities;
      const listening = listenForChanges(main, {
        isOver: () => this.#main !== main,
        onMissed: () => this.#refreshQuietly(),
        onRefused: (reason) =>
          log('info', 'upstream-changes-untold', { upstream: this.name, reason }),
      });
      await Promise.race([listening, delay(listenMsMax)]);
      await Promise.race([this.#refresh(), whenEnded(main)]);
      log('info', 'upstream-connected', { upstream: this.name, tools: this.#tools.size });
      return main;
    } catch (error) {
      await main.close();
      throw error;
    }
  }

  async #open(
    client: ClientDescription,
    onNotification: (notification: ProtocolMessage) => void,
  ): Promise<UpstreamSession> {
    const { spec, log } = this.#options;
    const session = await UpstreamSession.open({
      spec,
      client,
      log,
      traffic: this.#traffic,
      onOpening: (opening) => {
        this.#assertWanted();
        this.#sessions.add(opening);
        void opening.ended.then(() => this.#sessions.delete(opening));
      },
      onNotification: (told) => {
        if (told.method !== 'notifications/tools/list_changed') onNotification(told);
        else this.#refreshQuietly();
      },
      // Where to, the SDK follows; the short way would take it for an answer.
      onRedirected: () => {
        this.#raw = undefined;
      },
    });
    if (this.#sessions.has(session)) return session;
    // It was ended before it was open: then nobody else ends its process.
    session.kill();
    this.#assertWanted();
    throw new Error('Not connected');
  }

  #assertWanted(): void {
    if (this.#cutOffReason !== undefined) throw new Error(this.#cutOffReason);
    if (this.#leaving.signal.aborted) throw new Error('leaving');
  }

  /** A second process, started when a client of an older revision first needs it. */
  #olderSession(): Promise<UpstreamSession | undefined> {
    const { version, log, events } = this.#options;
    const info = { name: 'surety', version };
    const client = { info, capabilities: askedCapabilities, revision: olderRevision };
    this.#older ??= this.#open(client, (told) => events.onNotification(told)).then(
      (session) => {
        const startedAt = performance.now();
        void session.ended.then(() => {
          // One that ends at once is not started for every call.
          if (performance.now() - startedAt > steadyMs) this.#older = undefined;
          else this.#older = Promise.resolve(undefined);
        });
        return session;
      },
      (error) => {
        const reason = String(error).slice(0, 300);
        log('info', 'upstream-session-refused', { upstream: this.name, reason });
        return undefined;
      },
    );
    return this.#older;
  }

  async #disconnect(): Promise<void> {
    const all = new Set([this.#main, ...this.#sessions]);
    this.#main = undefined;
    this.#older = undefined;
    this.#refusesSessions = false;
    const had = this.#tools.size > 0;
    this.#tools = new Map();
    await Promise.all([...all].map((session) => session?.close()));
    if (had && !this.#leaving.signal.aborted) await this.#options.events.onTools(this);
  }

  /** At once, and all of its connections: what it still has to say is not read. */
  #cutOff(reason: string): void {
    if (this.#cutOffReason !== undefined) return;
    this.#cutOffReason = reason;
    this.#options.log('warn', 'upstream-cut-off', { upstream: this.name, reason });
    for (const session of this.#sessions) session.kill();
  }

  /** One at a time, and once more if it changed meanwhile: a server that shouts costs no more. */
  async #refresh(): Promise<void> {
    this.#stale = true;
    this.#refreshing ??= this.#refreshNow().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  #refreshQuietly(): void {
    const main = this.#main;
    this.#refresh().catch((error) => {
      const reason = String(error).slice(0, 300);
      this.#options.log('warn', 'upstream-tools-unread', { upstream: this.name, reason });
      void main?.close();
    });
  }

  async #refreshNow(): Promise<void> {
    while (this.#stale) {
      this.#stale = false;
      if (!this.capabilities.tools) return;
      const before = this.#traffic.answeredBytes;
      this.#tools = await this.#fetchTools();
      await this.#options.events.onTools(this);
      const bytes = this.#traffic.answeredBytes - before;
      if (this.#stale) await this.#pause(Math.max(refreshMsMin, bytes / refreshBytesPerMs));
    }
  }

  async #fetchTools(): Promise<ReadonlyMap<string, ToolDefinition>> {
    const main = await this.sessionFor();
    const answeredBytes = () => this.#traffic.answeredBytes;
    const source = { name: this.name, request: main.request.bind(main), answeredBytes };
    return fetchTools(source, this.#options.log).catch((error: unknown) => {
      if (error instanceof ListTooLarge) this.#cutOff(error.message);
      throw error;
    });
  }
}

/** A server that shouts that its tools changed is read this often, with long lists less so. */
const refreshMsMin = 200;
const refreshBytesPerMs = 256;

async function whenEnded(session: UpstreamSession): Promise<never> {
  await session.ended;
  throw new Error('the connection ended before its tools were read');
}
