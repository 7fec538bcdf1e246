import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '../../tests/harness/until.ts';
import { type Tag, tagEnvironment } from './index.ts';

export interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server of the test itself that remembers what it was sent, and says its own name. */
export class Recorder implements AsyncDisposable {
  readonly seen: Seen[] = [];
  /** Paths of keyed requests of which a service asked whether they should have come to it. */
  readonly asked: string[] = [];
  readonly server: Server;

  private constructor(name: string) {
    this.server = createServer(async (request, response) => {
      const { method, url, headers } = request;
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      // Each keyed request asks that once: here no lane has changed the service.
      if (headers['x-surety-if-changed']) {
        this.asked.push(String(headers['x-surety-path']));
        return void response.setHeader('x-surety-changed', 'no').end();
      }
      this.seen.push({ method, url, headers, body: Buffer.concat(chunks).toString('utf8') });
      response.end(name);
    });
  }

  static async open(name: string, path?: string, port = 0): Promise<Recorder> {
    const recorder = new Recorder(name);
    if (path) recorder.server.listen(path);
    else recorder.server.listen(port, '127.0.0.1');
    await once(recorder.server, 'listening');
    return recorder;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** What it was sent since this was last asked. */
  take(): Seen[] {
    return this.seen.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}

export interface ServiceOptions {
  readonly file?: string;
  /** Which Node runs it. */
  readonly node?: string;
  /** Without one, nothing of ours is loaded. */
  readonly tag?: Partial<Tag>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether what it says when it fails is expected. */
  readonly isQuiet?: boolean;
  /** A file that it writes to, as under the keeper. */
  readonly log?: string;
}

/** A process with a service of the tests. Leaving it ends it. */
export class Service implements AsyncDisposable {
  readonly port: number;
  readonly host: string;
  /** Of its servers, by name, if it has several. */
  readonly ports: Readonly<Record<string, number>>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, said: AddressInfo & { all?: Record<string, number> }) {
    this.#child = child;
    this.port = said.port;
    this.host = said.address;
    this.ports = said.all ?? {};
  }

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const { file = 'service.cjs', node = process.execPath, tag, environment = {} } = options;
    // An absolute path stays what it is.
    const program = fileURLToPath(new URL(file, new URL('fixtures/', import.meta.url)));
    const whole = { service: 'a', instance: 'a/baseline/1', router: '127.0.0.1:1', ...tag };
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const tagged = tag ? tagEnvironment(whole) : {};
    const env = { PATH, NODE_COMPILE_CACHE, ...tagged, ...environment };
    const errors = options.isQuiet ? 'ignore' : 'inherit';
    if (options.log) return Service.#startWithLog([node, program], env, options.log);
    const child = spawn(node, [program], { stdio: ['ignore', 'pipe', errors], env });
    const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended(child)]);
    return new Service(child, JSON.parse(line));
  }

  static async #startWithLog(
    [node, program]: [string, string],
    env: NodeJS.ProcessEnv,
    log: string,
  ): Promise<Service> {
    const descriptor = openSync(log, 'a');
    const child = spawn(node, [program], { stdio: ['ignore', descriptor, descriptor], env });
    closeSync(descriptor);
    const first = (): string | undefined => /^\{.*\}$/m.exec(readFileSync(log, 'utf8'))?.[0];
    const line = await Promise.race([until('it says where it is', first), ended(child)]);
    return new Service(child, JSON.parse(line));
  }

  /** With the key in its baggage, if one is given. */
  ask(path: string, key?: string, init: RequestInit = {}): Promise<Response> {
    const headers = key === undefined ? {} : { baggage: `surety-lane=${key}` };
    return fetch(`http://127.0.0.1:${this.port}${path}`, { headers, ...init });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      await once(this.#child, 'exit');
    }
  }
}

async function ended(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`the service ended with code ${code}`);
}
