import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallToolRequestParams as CallToolParams,
  Client,
  type JsonSchemaValidator,
  type RequestOptions,
  type ServerCapabilities,
  type Tool,
} from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject, type Log, sharedLimits } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import { anything } from '../anything.ts';
import {
  addressee,
  type ClientExchange,
  type ProtocolMessage,
  unaskable,
} from '../clients/exchange.ts';
import { ProgressRoutes } from '../clients/progress-routes.ts';
import { HttpLines } from '../http/http-lines.ts';
import {
  headOf,
  isHeaderValue,
  type RawCall,
  type RawMessage,
  type RawServer,
  rawCall,
} from '../http/raw-call.ts';
import type { ToolDefinition, UpstreamSpec } from '../ports.ts';
import { fetchTools } from './fetch-tools.ts';
import { isLineDead } from './upstream-failure.ts';
import { createTransport } from './upstream-transport.ts';

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

export interface UpstreamRequest {
  readonly exchange?: ClientExchange | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
}

/** What a client may be asked for through us; whether one can, its own request tells. */
const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };
const steadyMs = 10_000;
const backoffMsMin = 250;

/** Answers are checked by us, with regular expressions that end. */
const jsonSchemaValidator = {
  getValidator<Value>(): JsonSchemaValidator<Value> {
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
  },
};

const headerWishes = new WeakMap<ToolDefinition, boolean>();

function wantsHeaders(definition: ToolDefinition): boolean {
  const known = headerWishes.get(definition);
  if (known !== undefined) return known;
  const wants = JSON.stringify(definition.inputSchema).includes('"x-mcp-header"');
  headerWishes.set(definition, wants);
  return wants;
}

function rawServer({ url, headers }: Extract<UpstreamSpec, { url: string }>) {
  const address = new URL(url);
  const head = headOf(address, headers);
  // Over anything else than plain HTTP the SDK knows better.
  const isPlain = address.protocol === 'http:' && address.username === '';
  if (!isPlain || head === undefined) return undefined;
  return { lines: new HttpLines(address), head };
}

/** A connection to one server that is opened again, ever more patiently, whenever it breaks. */
export class Upstream {
  readonly name: string;
  readonly #options: UpstreamOptions;
  readonly #open = new Set<ClientExchange>();
  readonly #progress = new ProgressRoutes();
  #raw: RawServer | undefined;
  readonly #leaving = new AbortController();
  #client: Client | undefined;
  #tools: ReadonlyMap<string, ToolDefinition> = new Map();
  #capabilities: ServerCapabilities = {};
  #refreshing: Promise<void> | undefined;
  #stale = false;
  #ended: Promise<void> = Promise.resolve();
  #breakLine: () => void = () => undefined;

  constructor(options: UpstreamOptions) {
    this.name = options.spec.name;
    this.#options = options;
    const { spec } = options;
    if ('url' in spec) this.#raw = rawServer(spec);
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  get tools(): ReadonlyMap<string, ToolDefinition> {
    return this.#tools;
  }

  /** As it said last: a server that is away for a moment is still what it was. */
  get capabilities(): ServerCapabilities {
    return this.#capabilities;
  }

  get instructions(): string | undefined {
    return this.#client?.getInstructions();
  }

  get isModern(): boolean {
    return this.#client?.getProtocolEra() === 'modern';
  }

  /** Settles when the first connection stands, or has failed once. */
  start(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#ended = this.#stayConnected(first.resolve);
    return first.promise;
  }

  async close(): Promise<void> {
    this.#leaving.abort();
    this.#breakLine();
    await this.#ended;
    this.#raw?.lines.close();
  }

  /** Passes a request on as it is, and its answer back as it is. */
  request({ method, params = {} }: ProtocolMessage, asked: UpstreamRequest): Promise<JsonObject> {
    return this.#progress.follow(params, asked.onProgress, (whole) => {
      const isEmpty = Object.keys(whole).length === 0;
      const request = isEmpty ? { method } : { method, params: { ...whole } };
      return this.#exchange(asked, (client, options) => client.request(request, anything, options));
    });
  }

  /** Arguments that their schema wants in headers are put there as well: `Client` knows how. */
  callTool(
    params: JsonObject,
    definition: ToolDefinition,
    asked: UpstreamRequest,
  ): Promise<JsonObject> {
    if (!this.isModern || !wantsHeaders(definition)) {
      return this.request({ method: 'tools/call', params }, asked);
    }
    const toolDefinition = definition as Tool;
    return this.#progress.follow(params, asked.onProgress, (whole) =>
      this.#exchange(asked, (client, options) =>
        client.callTool(whole as CallToolParams, { ...options, toolDefinition }),
      ),
    );
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
    return rawCall(call).catch((error: unknown) => {
      if (isLineDead(error)) this.#breakLine();
      throw error;
    });
  }

  async #exchange(
    { exchange, signal, timeoutMs = sharedLimits.toolMs }: UpstreamRequest,
    send: (client: Client, options: RequestOptions) => Promise<unknown>,
  ): Promise<JsonObject> {
    const client = this.#client;
    if (!client) throw new Error('Not connected');
    if (exchange) this.#open.add(exchange);
    try {
      return (await send(client, {
        timeout: timeoutMs,
        allowInputRequired: true,
        ...(signal ? { signal } : {}),
      })) as JsonObject;
    } catch (error) {
      if (isLineDead(error)) this.#breakLine();
      throw error;
    } finally {
      if (exchange) this.#open.delete(exchange);
    }
  }

  /** Modern servers tell about a resource on a stream that is opened for it. */
  async listen(uri: string): Promise<() => Promise<void>> {
    const client = this.#client;
    if (!client) throw new Error('Not connected');
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    return () => subscription.close();
  }

  async #stayConnected(onFirst: () => void): Promise<void> {
    const { log } = this.#options;
    let waitMs: number = backoffMsMin;
    while (!this.#leaving.signal.aborted) {
      const startedAt = performance.now();
      try {
        const { broken } = await this.#connect();
        onFirst();
        await broken;
        log('warn', 'upstream-lost', { upstream: this.name });
      } catch (error) {
        log('warn', 'upstream-unreachable', { upstream: this.name, reason: String(error) });
      }
      await this.#disconnect();
      onFirst();
      if (performance.now() - startedAt > steadyMs) waitMs = backoffMsMin;
      await delay(waitMs, undefined, { signal: this.#leaving.signal }).catch(() => undefined);
      waitMs = Math.min(2 * waitMs, mcpLimits.upstreamBackoffMsMax);
    }
  }

  /** Tells, once connected, how to learn of the end of the connection. */
  async #connect(): Promise<{ readonly broken: Promise<void> }> {
    const { spec, version, log } = this.#options;
    const info = { name: 'surety', version };
    const probe = { timeoutMs: mcpLimits.upstreamProbeMsMax };
    const versionNegotiation = { mode: 'auto' as const, probe };
    const client = new Client(info, { capabilities, versionNegotiation, jsonSchemaValidator });
    const broken = Promise.withResolvers<void>();
    this.#breakLine = broken.resolve;
    client.onclose = broken.resolve;
    client.onerror = ({ message }) => {
      log('warn', 'upstream-error', { upstream: this.name, reason: message.slice(0, 300) });
    };
    client.setNotificationHandler('notifications/progress', ({ params }) =>
      this.#progress.tell({ ...params } as JsonObject),
    );
    client.fallbackRequestHandler = (request) => this.#asked(request as ProtocolMessage);
    client.fallbackNotificationHandler = async (notification) =>
      this.#told(notification as ProtocolMessage);
    const events = {
      onErrorLine: (line: string): void =>
        log('info', 'upstream-said', { upstream: this.name, line: line.slice(0, 2_000) }),
      // Where to, the SDK follows; the short way would take it for an answer.
      onRedirected: (): void => {
        this.#raw = undefined;
      },
    };
    const timeout = mcpLimits.upstreamStartMsMax;
    try {
      await client.connect(createTransport(spec, events), { timeout });
      if (this.#leaving.signal.aborted) throw new Error('leaving');
      this.#client = client;
      this.#capabilities = client.getServerCapabilities() ?? {};
      await this.#hear(client);
      await this.#refresh();
      log('info', 'upstream-connected', { upstream: this.name, tools: this.#tools.size });
      return { broken: broken.promise };
    } catch (error) {
      await client.close().catch(() => undefined);
      throw error;
    }
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    const had = this.#tools.size > 0;
    this.#tools = new Map();
    await client?.close().catch(() => undefined);
    if (had && !this.#leaving.signal.aborted) await this.#options.events.onTools(this);
  }

  /** Modern servers tell of changes on a stream; older ones do so unasked. */
  async #hear(client: Client): Promise<void> {
    if (!this.isModern) return;
    const { tools, prompts, resources } = this.capabilities;
    const wanted = {
      ...(tools?.listChanged ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged ? { promptsListChanged: true } : {}),
      ...(resources?.listChanged ? { resourcesListChanged: true } : {}),
    };
    if (Object.keys(wanted).length === 0) return;
    const subscription = await client.listen(wanted);
    void subscription.closed.then((how) => {
      if (how !== 'local') this.#breakLine();
    });
  }

  /** One at a time, and once more if it changed meanwhile: a server that shouts costs no more. */
  async #refresh(): Promise<void> {
    this.#stale = true;
    this.#refreshing ??= this.#refreshNow().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refreshNow(): Promise<void> {
    while (this.#stale) {
      this.#stale = false;
      if (!this.capabilities.tools) return;
      this.#tools = await fetchTools(this, this.#options.log);
      await this.#options.events.onTools(this);
    }
  }

  #told(notification: ProtocolMessage): void {
    if (notification.method === 'notifications/tools/list_changed') {
      const { log } = this.#options;
      this.#refresh().catch((error) => {
        log('warn', 'upstream-tools-unread', { upstream: this.name, reason: String(error) });
        this.#breakLine();
      });
      return;
    }
    const exchange = addressee(this.#open);
    if (notification.method === 'notifications/message' && exchange) exchange.tell(notification);
    else this.#options.events.onNotification(notification);
  }

  async #asked({ method, params }: ProtocolMessage): Promise<JsonObject> {
    const exchange = addressee(this.#open);
    if (!exchange) throw unaskable(method, this.#open.size);
    const { _meta: _, ...rest } = params ?? {};
    const answer = await exchange.ask({ method, params: rest });
    return isJsonObject(answer) ? answer : {};
  }
}
