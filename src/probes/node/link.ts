import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { fault, type Json, type JsonObject } from '../../kernel/index.ts';
import { probeLimits } from '../limits.ts';
import { agentSettings } from './agent-settings.ts';
import type { AgentLink } from './agent-text.ts';

/** Waits at a port of its own for the worker in one process; only who knows the token gets in. */
export class LinkServer {
  readonly link: AgentLink;
  readonly #server: Server;
  readonly #accepted: Promise<AgentConnection>;

  private constructor(server: Server, token: string, accepted: Promise<AgentConnection>) {
    this.#server = server;
    this.#accepted = accepted;
    this.link = { port: (server.address() as AddressInfo).port, token };
  }

  static async open(pid: number): Promise<LinkServer> {
    const token = randomBytes(32).toString('hex');
    const { promise, resolve } = Promise.withResolvers<AgentConnection>();
    const server = createServer((socket) => {
      greet(socket, token).then(
        (rest) => resolve(new AgentConnection(pid, socket, rest)),
        () => socket.destroy(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LinkServer(server, token, promise);
  }

  async accept(pid: number): Promise<AgentConnection> {
    const timeout = AbortSignal.timeout(probeLimits.probeAnswerMsMax);
    const late = once(timeout, 'abort').then(() => {
      const reason = 'its worker did not start';
      throw fault('PROBE_INSPECTOR_FAILED', { pid, reason });
    });
    try {
      return await Promise.race([this.#accepted, late]);
    } finally {
      this.#server.close();
    }
  }

  close(): void {
    this.#server.close();
  }
}

const greetingCharsMax = 200;

/** The first line is the token. Gives what came after it. */
async function greet(socket: Socket, token: string): Promise<string> {
  socket.setEncoding('utf8').on('error', () => socket.destroy());
  let text = '';
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [string];
    text += chunk;
    const end = text.indexOf('\n');
    if (end < 0 && text.length < greetingCharsMax) continue;
    const { token: given } = JSON.parse(text.slice(0, end)) as { token: string };
    if (!isSame(String(given), token)) throw new Error('another token');
    return text.slice(end + 1);
  }
}

function isSame(some: string, other: string): boolean {
  return some.length === other.length && timingSafeEqual(Buffer.from(some), Buffer.from(other));
}

interface Answer {
  readonly id?: number;
  readonly event?: string;
  readonly result?: Json;
  readonly error?: string;
}

type Listener = (event: JsonObject) => void;

/** Commands to the worker in a process, and events from it. */
export class AgentConnection {
  readonly lost: Promise<void>;
  isLost = false;
  readonly #pid: number;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Json>>();
  readonly #listeners = new Set<Listener>();
  #rest: string;
  #lastId = 0;

  constructor(pid: number, socket: Socket, rest: string) {
    this.#pid = pid;
    this.#socket = socket;
    this.#rest = rest;
    this.lost = new Promise<void>((resolve) => socket.on('close', () => resolve())).then(() =>
      this.#lose(),
    );
    socket.setNoDelay(true).on('data', (text: string) => this.#receive(text));
    const heart = setInterval(
      () => void this.call('ping').catch(() => {}),
      agentSettings.heartbeatMs,
    );
    this.lost.then(() => clearInterval(heart));
    heart.unref();
  }

  listen(listener: Listener): void {
    this.#listeners.add(listener);
  }

  async call(method: string, params: JsonObject = {}): Promise<Json> {
    if (this.isLost) throw this.#failed('the connection to its agent ended');
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<Json>();
    this.#waiting.set(id, waiting);
    this.#socket.write(`${JSON.stringify({ id, method, params })}\n`);
    const timer = setTimeout(
      () =>
        waiting.reject(
          this.#failed(`${method} took longer than ${probeLimits.probeAnswerMsMax} ms`),
        ),
      probeLimits.probeAnswerMsMax,
    );
    return waiting.promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(id);
    });
  }

  cut(): void {
    this.#socket.destroy();
  }

  #receive(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > agentSettings.lineChars) this.cut();
    else for (const line of lines) this.#handle(line);
  }

  /** Whatever runs in the process could write here: what is not JSON ends the connection. */
  #handle(line: string): void {
    let message: Answer;
    try {
      message = JSON.parse(line) as Answer;
    } catch {
      this.cut();
      return;
    }
    if (message.id === undefined) {
      for (const listener of this.#listeners) listener(message as JsonObject);
    } else if (message.error === undefined) {
      this.#waiting.get(message.id)?.resolve(message.result ?? null);
    } else {
      this.#waiting.get(message.id)?.reject(this.#failed(message.error));
    }
  }

  #lose(): void {
    this.isLost = true;
    for (const { reject } of this.#waiting.values()) reject(this.#failed('the connection ended'));
  }

  #failed(reason: string): Error {
    return fault('PROBE_INSPECTOR_FAILED', { pid: this.#pid, reason });
  }
}
