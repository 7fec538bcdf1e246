import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../../tests/harness/until.ts';
import { type JsonObject, socketPlace } from '../kernel/index.ts';
import { connectRouter, type Router, type RouteTable, routerMain } from './index.ts';

/**
 * For tests only: a directory with a real router, and servers to route to. Leaving the scene ends
 * all of it, and fails if the router leaves its socket behind.
 */
export class Scene implements AsyncDisposable {
  readonly directory: string;
  readonly router: Router;
  readonly #root: string;
  readonly #servers: Server[] = [];
  readonly #children: ChildProcess[] = [];
  #port = 0;

  /** `below` is made inside of the temporary directory, for names of a certain length. */
  constructor(below = 'state') {
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), 'router-')));
    this.directory = join(this.#root, below);
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    this.router = connectRouter(this.directory);
  }

  static async open(): Promise<Scene> {
    const scene = new Scene();
    await scene.startRouter();
    return scene;
  }

  async startRouter(
    environment: Readonly<Record<string, string>> = {},
    descriptors?: number,
  ): Promise<ChildProcess> {
    const command = ['--disable-warning=ExperimentalWarning', routerMain, this.directory];
    const limited = ['-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, process.execPath];
    const child =
      descriptors === undefined
        ? this.spawn(command, environment)
        : this.spawn([...limited, ...command], environment, '/bin/sh');
    const { port } = await until('the router answers', () => this.#identityOf(child));
    this.#port = port;
    return child;
  }

  /** Where keyed requests go. */
  get port(): number {
    return this.#port;
  }

  spawn(
    command: readonly string[],
    environment: Readonly<Record<string, string>>,
    node: string = process.execPath,
  ): ChildProcess {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, ...environment };
    const child = spawn(node, command, { stdio: ['ignore', 'pipe', 'inherit'], env });
    this.#children.push(child);
    return child;
  }

  /** A server of the test itself, on a port of its own. */
  async serve(listener: RequestListener, server: Server = createServer()): Promise<number> {
    server.on('request', listener);
    this.#servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  serverOn(port: number): Server {
    const on = (server: Server): boolean => (server.address() as AddressInfo).port === port;
    return this.#servers.find(on) as Server;
  }

  connectionsOf(port: number): Promise<number> {
    return new Promise((resolve) =>
      this.serverOn(port).getConnections((_, count) => resolve(count)),
    );
  }

  /** Sets the table for a system whose only service is its ingress. */
  async routeTo(port: number, more: Partial<RouteTable> = {}): Promise<void> {
    const lanes = { k1: { lane: 'lane_1', overrides: {} } };
    await this.router.setTable({ ingress: 'edge', services: { edge: { port } }, lanes, ...more });
  }

  /** The hops of a key, once there are so many. */
  hops(key: string, count: number) {
    return until(`there are ${count} hops`, async () => {
      const { hops } = await this.router.hops(key);
      return hops.length >= count ? hops : null;
    });
  }

  /** The traffic port, without the manners of a client. */
  async dial(): Promise<Socket> {
    const socket = connect(this.#port, '127.0.0.1');
    await once(socket, 'connect');
    return socket.on('error', () => {});
  }

  /** What comes back for these very bytes, until the router hangs up. */
  async sendRaw(bytes: string): Promise<string> {
    const socket = await this.dial();
    socket.write(bytes);
    const answer = await text(socket);
    socket.destroy();
    return answer;
  }

  readJson(name: string): JsonObject {
    return JSON.parse(readFileSync(join(this.directory, name), 'utf8'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#children.map((child) => end(child)));
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(this.#servers.map((it) => new Promise((resolve) => it.close(resolve))));
    const { path } = socketPlace(this.directory, 'router');
    const isLeft = existsSync(path) && this.#children.every(({ signalCode }) => !signalCode);
    rmSync(this.#root, { recursive: true, force: true });
    if (isLeft) throw new Error(`left behind: ${path}`);
  }

  async #identityOf(child: ChildProcess): Promise<{ port: number } | null> {
    if (child.exitCode !== null) throw new Error(`the router ended with ${child.exitCode}`);
    const identity = await this.router.identity().catch(() => null);
    return identity?.pid === child.pid ? identity : null;
  }
}

/** Asked, then told. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.stdout?.resume();
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
