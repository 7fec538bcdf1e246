import { once } from 'node:events';
import {
  type JSONRPCMessage,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { fetchOver } from '../../../http/index.ts';
import { fault, sharedLimits, toFault } from '../../../kernel/index.ts';
import { unknownAgent } from '../../unknown-agent.ts';
import { bridgeHeader } from '../names.ts';

export interface BridgeDeps {
  readonly agent: string;
  readonly directory: string;
  /** Asked anew for each connection: the daemon may have been started again meanwhile. */
  readonly find: () => { readonly socketPath: string; readonly token: string };
}

type Id = string | number;
type Request = { readonly id: Id; readonly method: string } & JSONRPCMessage;

/** Speaks MCP on standard input and output, and hands every message on to the daemon's gateway. */
export async function bridge(deps: BridgeDeps): Promise<void> {
  const stdio = new StdioServerTransport(process.stdin, process.stdout, {
    maxBufferSize: sharedLimits.requestBytesMax,
  });
  const relay = new Relay(deps, (message) => void stdio.send(message).catch(() => undefined));
  stdio.onmessage = (message) => void relay.pass(message);
  const overflow = whenTooMuch(stdio);
  await stdio.start();
  try {
    await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close'), overflow]);
  } finally {
    await relay.close();
  }
}

/** What could be the rest of a message is not read any more: there is nobody to answer to. */
function whenTooMuch(stdio: StdioServerTransport): Promise<never> {
  return new Promise((_, reject) => {
    stdio.onerror = ({ message }) => {
      if (message.includes('exceeded maximum size')) {
        reject(fault('REQUEST_TOO_LARGE', { limit: sharedLimits.requestBytesMax }));
      }
    };
  });
}

/** The way to the daemon. When it is lost it is found again, and an older client announced. */
class Relay {
  readonly #deps: BridgeDeps;
  readonly #answer: (message: JSONRPCMessage) => void;
  readonly #open = new Map<Id, AbortController>();
  #line: Promise<StreamableHTTPClientTransport> | undefined;
  #greeting: Request | undefined;
  #regreeted: { id: Id; done: () => void } | undefined;

  constructor(deps: BridgeDeps, answer: (message: JSONRPCMessage) => void) {
    this.#deps = deps;
    this.#answer = answer;
  }

  async pass(message: JSONRPCMessage): Promise<void> {
    if (isRequest(message) && message.method === 'initialize') this.#greeting = message;
    if (this.#cancels(message)) return;
    try {
      await this.#send(message);
    } catch (error) {
      if (isRequest(message)) this.#refuse(message.id, error);
    }
  }

  async close(): Promise<void> {
    const line = await this.#line?.catch(() => undefined);
    await line?.terminateSession().catch(() => undefined);
    await line?.close();
  }

  /** Once more on a new line if the old one certainly did not carry it. */
  async #send(message: JSONRPCMessage): Promise<void> {
    const had = this.#line !== undefined;
    try {
      await this.#sendOnce(message);
    } catch (error) {
      if (!wasNotTaken(error)) throw error;
      this.#line = undefined;
      if (!had) throw error;
      await this.#sendOnce(message);
    }
  }

  async #sendOnce(message: JSONRPCMessage): Promise<void> {
    this.#line ??= this.#connect(message);
    const line = await this.#line.catch((error: unknown) => {
      this.#line = undefined;
      throw error;
    });
    if (!isRequest(message)) return line.send(message);
    const { id } = message;
    const gone = new AbortController();
    this.#open.set(id, gone);
    const onRequestStreamEnd = (): void => {
      if (this.#open.has(id))
        this.#refuse(id, fault('DAEMON_NOT_RUNNING', { directory: this.#deps.directory }));
    };
    await line.send(message, { requestSignal: gone.signal, onRequestStreamEnd });
  }

  async #connect(first: JSONRPCMessage): Promise<StreamableHTTPClientTransport> {
    const { socketPath, token } = this.#deps.find();
    const headers = { authorization: `Bearer ${token}`, [bridgeHeader]: 'stdio' };
    const line = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
      requestInit: { headers },
      fetch: fetchOver(socketPath),
    });
    line.onmessage = (message) => this.#received(line, message);
    await line.start();
    const greeting = this.#greeting;
    if (greeting && greeting !== first) await this.#greet(line, greeting);
    return line;
  }

  /** The client knows nothing of the daemon's restarts: what it said once is said for it. */
  async #greet(line: StreamableHTTPClientTransport, greeting: Request): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const id = 'surety-bridge';
    this.#regreeted = { id, done: resolve };
    await line.send({ ...greeting, id });
    await promise;
    await line.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  #received(line: StreamableHTTPClientTransport, message: JSONRPCMessage): void {
    const { id, result } = message as { id?: Id; result?: { protocolVersion?: string } };
    const isAnswer = id !== undefined && !('method' in message);
    if (isAnswer && result?.protocolVersion !== undefined) {
      line.setProtocolVersion(result.protocolVersion);
    }
    if (isAnswer) this.#open.delete(id);
    if (isAnswer && id === this.#regreeted?.id) this.#regreeted.done();
    else this.#answer(message);
  }

  /** Over HTTP the newer revision cancels a request by hanging up. */
  #cancels(message: JSONRPCMessage): boolean {
    const { method, params } = message as { method?: string; params?: { requestId?: Id } };
    if (method !== 'notifications/cancelled' || this.#greeting) return false;
    const id = params?.requestId ?? '';
    this.#open.get(id)?.abort();
    this.#open.delete(id);
    return true;
  }

  #refuse(id: Id, error: unknown): void {
    this.#open.delete(id);
    this.#answer({ jsonrpc: '2.0', id, error: refusalIn(error) ?? this.#own(error) });
  }

  #own(error: unknown): ProtocolRefusal {
    const found = this.#faultOf(error);
    const { message, remedy } = found;
    return { code: -32603, message: `${message} ${remedy}`, data: found.report() };
  }

  #faultOf(error: unknown) {
    const { agent, directory } = this.#deps;
    if (error instanceof SdkHttpError && error.status === 401) return unknownAgent(agent);
    if (error instanceof SdkHttpError && error.status === 404) return fault('GATEWAY_ABSENT', {});
    return wasNotTaken(error) ? fault('DAEMON_NOT_RUNNING', { directory }, error) : toFault(error);
  }
}

interface ProtocolRefusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Whether to try elsewhere or again is known here; all else the daemon has said itself. */
function refusalIn(error: unknown): ProtocolRefusal | undefined {
  if (!(error instanceof SdkHttpError) || error.status === 401 || error.status === 404) {
    return undefined;
  }
  try {
    const said = JSON.parse(String(error.data.text)) as { error?: ProtocolRefusal };
    return typeof said.error?.message === 'string' ? said.error : undefined;
  } catch {
    return undefined;
  }
}

function isRequest(message: JSONRPCMessage): message is Request {
  return 'method' in message && 'id' in message;
}

/** Nobody listens there, or nobody there knows the session or token: nothing has happened. */
function wasNotTaken(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 404 || error.status === 401;
  const { cause } = (error ?? {}) as { cause?: { code?: string } };
  return cause?.code === 'ECONNREFUSED' || cause?.code === 'ENOENT';
}
