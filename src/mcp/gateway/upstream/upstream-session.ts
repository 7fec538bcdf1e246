import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallToolRequestParams as CallToolParams,
  Client,
  type ClientCapabilities,
  type JsonSchemaValidator,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type ServerCapabilities,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
} from '@modelcontextprotocol/client';
import {
  fault,
  isJsonObject,
  type JsonObject,
  type Log,
  sharedLimits,
} from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import { anything } from '../anything.ts';
import {
  type ClientExchange,
  onlyExchange,
  type ProtocolMessage,
  unaskable,
} from '../clients/exchange.ts';
import { ProgressRoutes } from '../clients/progress-routes.ts';
import type { ToolDefinition, UpstreamSpec } from '../ports.ts';
import { marked, unreadableReason } from './exact-json.ts';
import type { Traffic } from './traffic.ts';
import { isLineDead, isSessionGone } from './upstream-failure.ts';
import { createTransport, type UpstreamTransport } from './upstream-transport.ts';

/** Who a server is told that it speaks with. */
export interface ClientDescription {
  readonly info: { readonly name: string; readonly version: string };
  readonly capabilities: ClientCapabilities;
  /** `auto`: the newest revision that the server speaks; else one of those with sessions. */
  readonly revision: string;
}

export interface SessionOptions {
  readonly spec: UpstreamSpec;
  readonly client: ClientDescription;
  readonly traffic: Traffic;
  readonly log: Log;
  /** Called before the session connects; what it throws keeps it from that. */
  onOpening(session: UpstreamSession): void;
  onNotification(notification: ProtocolMessage): void;
  onRedirected(): void;
}

export interface UpstreamRequest {
  readonly exchange?: ClientExchange | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
}

const endMsMax = 500;

/** Answers are checked by us, with regular expressions that end. */
const jsonSchemaValidator = {
  getValidator<Value>(): JsonSchemaValidator<Value> {
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
  },
};

/**
 * The request of a client that a message of a server belongs to. Over HTTP a server answers each
 * request on a stream of its own, which is read where the request was sent: what comes from there
 * is asked and told on behalf of that request.
 */
const requests = new AsyncLocalStorage<ClientExchange | undefined>();

/** What a client may be asked for through us; whether one can, its own request tells. */
export const askedCapabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };
/** What a server may be able to do before it has said what it can. */
export const allCapabilities = {
  ...{ tools: {}, prompts: {}, completions: {}, logging: {} },
  resources: { subscribe: true },
};

/** One connection to a server, in one revision of the protocol. */
export class UpstreamSession {
  /** Resolves when the connection is gone. */
  readonly ended: Promise<void>;
  readonly #options: SessionOptions;
  readonly #client: Client;
  readonly #open = new Set<ClientExchange>();
  readonly #progress = new ProgressRoutes();
  readonly #end = Promise.withResolvers<void>();
  readonly #transport: UpstreamTransport;

  /** What is heard on a line that all requests share belongs to none of them. */
  static open(options: SessionOptions): Promise<UpstreamSession> {
    return requests.run(undefined, () => openSession(options));
  }

  constructor(options: SessionOptions) {
    const { spec, client, log, traffic, onRedirected } = options;
    const { capabilities, revision, info } = client;
    const probe = { timeoutMs: mcpLimits.upstreamProbeMsMax };
    const negotiated =
      revision === 'auto'
        ? { versionNegotiation: { mode: 'auto' as const, probe } }
        : { supportedProtocolVersions: [revision, ...SUPPORTED_PROTOCOL_VERSIONS] };
    this.#options = options;
    this.#client = new Client(info, { capabilities, jsonSchemaValidator, ...negotiated });
    this.ended = this.#end.promise;
    this.#client.onclose = () => this.#end.resolve();
    this.#client.onerror = ({ message }) => {
      const reason = message.slice(0, 300);
      if (traffic.mayLog(reason)) log('warn', 'upstream-error', { upstream: spec.name, reason });
    };
    this.#client.setNotificationHandler('notifications/progress', ({ params }) =>
      this.#progress.tell({ ...params } as JsonObject),
    );
    this.#client.fallbackRequestHandler = (request) => this.#asked(request as ProtocolMessage);
    this.#client.fallbackNotificationHandler = async (notification) =>
      this.#told(notification as ProtocolMessage);
    const onResumed = (): void => requests.getStore()?.pause();
    this.#transport = createTransport(spec, { traffic, onRedirected, onResumed });
  }

  async connect(): Promise<void> {
    try {
      await this.#client.connect(this.#transport, { timeout: mcpLimits.upstreamStartMsMax });
    } catch (error) {
      await this.#client.close().catch(() => undefined);
      await this.#transport.close().catch(() => undefined);
      this.#end.resolve();
      throw error;
    }
  }

  get isModern(): boolean {
    return this.#client.getProtocolEra() === 'modern';
  }

  get capabilities(): ServerCapabilities {
    return this.#client.getServerCapabilities() ?? {};
  }

  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }

  /** Passes a request on as it is, and its answer back as it is. */
  request({ method, params = {} }: ProtocolMessage, asked: UpstreamRequest): Promise<JsonObject> {
    return this.#progress.follow(params, asked.onProgress, (whole) => {
      const isEmpty = Object.keys(whole).length === 0;
      const request = isEmpty ? { method } : { method, params: { ...whole } };
      return this.#exchange(asked, (options) => this.#client.request(request, anything, options));
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
      this.#exchange(asked, async (options) =>
        marked(
          (await this.#client.callTool(whole as CallToolParams, {
            ...options,
            toolDefinition,
          })) as JsonObject,
        ),
      ),
    );
  }

  /** Modern servers tell about changes on a stream that is opened for it. */
  async listen(wanted: Parameters<Client['listen']>[0]) {
    return this.#client.listen(wanted);
  }

  async close(): Promise<void> {
    const ended = this.#transport.terminateSession?.().catch(() => undefined);
    // A server that is gone does not hear that its session is over.
    if (!this.isModern) await Promise.race([ended, delay(endMsMax, undefined, { ref: false })]);
    await this.#client.close().catch(() => undefined);
    this.#end.resolve();
  }

  /** Without waiting for a server that does not behave. */
  kill(): void {
    this.#transport.kill();
    this.#end.resolve();
  }

  async #exchange(
    { exchange, signal, timeoutMs = sharedLimits.toolMs }: UpstreamRequest,
    send: (options: RequestOptions) => Promise<unknown>,
  ): Promise<JsonObject> {
    if (exchange) this.#open.add(exchange);
    const options = { timeout: timeoutMs, allowInputRequired: true, ...(signal ? { signal } : {}) };
    try {
      const answer = (await requests.run(exchange, () => send(options))) as JsonObject;
      const reason = isJsonObject(answer) ? unreadableReason(answer) : undefined;
      if (reason !== undefined) throw fault('TOOL_IN_DOUBT', { reason });
      return answer;
    } catch (error) {
      if (isLineDead(error) || (!this.isModern && isSessionGone(error))) this.#end.resolve();
      throw error;
    } finally {
      if (exchange) this.#open.delete(exchange);
    }
  }

  #told(notification: ProtocolMessage): void {
    const exchange = requests.getStore() ?? onlyExchange(this.#open);
    if (notification.method === 'notifications/message' && exchange) exchange.tell(notification);
    else this.#options.onNotification(notification);
  }

  async #asked({ method, params }: ProtocolMessage): Promise<JsonObject> {
    const exchange = requests.getStore() ?? onlyExchange(this.#open);
    if (!exchange) throw unaskable(method, this.#open.size);
    const { _meta: _, ...rest } = params ?? {};
    const { traffic } = this.#options;
    const answer = await traffic.ask(() => exchange.ask({ method, params: rest }));
    return isJsonObject(answer) ? answer : {};
  }
}

async function openSession(options: SessionOptions): Promise<UpstreamSession> {
  const { spec, client } = options;
  const isProbe = client.revision === 'auto' && 'command' in spec;
  const session = new UpstreamSession(options);
  options.onOpening(session);
  try {
    await session.connect();
  } catch (error) {
    if (!isProbe || !isLegacySign(error)) throw error;
    return openSession(asOlder(options));
  }
  // It was asked for its revision before it was greeted; some servers do not get over that.
  if (!isProbe || session.isModern) return session;
  await session.close();
  return openSession(asOlder(options));
}

/** A process that ends when it is asked something unknown is one of an older revision. */
function isLegacySign(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
}

export const olderRevision = '2025-11-25';

function asOlder(options: SessionOptions): SessionOptions {
  return { ...options, client: { ...options.client, revision: olderRevision } };
}

const headerWishes = new WeakMap<ToolDefinition, boolean>();

export function wantsHeaders(definition: ToolDefinition): boolean {
  const known = headerWishes.get(definition);
  if (known !== undefined) return known;
  const wants = JSON.stringify(definition.inputSchema).includes('"x-mcp-header"');
  headerWishes.set(definition, wants);
  return wants;
}
