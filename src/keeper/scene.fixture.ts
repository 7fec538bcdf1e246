import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../../tests/harness/until.ts';
import { type JsonObject, socketPlace } from '../kernel/index.ts';
import { formatMark, keeperIdentifier, markVariable, newInstance } from './children/mark.ts';
import type { Keeper } from './protocol/client.ts';
import { ensureKeeper } from './protocol/ensure.ts';
import type { Child, StartParams } from './protocol/protocol.ts';
import { listMarked, readStat } from './strays/processes.ts';

// Tests start dozens of keepers; read from this cache, each is there in a third of the time.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../../node_modules/.cache/keeper-tests', import.meta.url),
);

export { until };

/**
 * A script that says when it is ready, and what it does on SIGTERM; nothing, if that is empty. Like
 * everything that tests start it ends by itself, should a keeper ever fail to end it.
 */
export function onTerm(action: string): string {
  return `trap "${action}" TERM; echo ready; for turn in $(seq 2000); do sleep 0.05; done`;
}

export const stubborn: string = onTerm('');

export function isAlive(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && !stat.isZombie;
}

export async function untilGone(...pids: readonly number[]): Promise<void> {
  await until(`${pids.join(', ')} are gone`, () => !pids.some(isAlive));
}

export async function childNamed(keeper: Keeper, name: string): Promise<Child | undefined> {
  return (await keeper.list()).find((child) => child.name === name);
}

export function untilExited(keeper: Keeper, name: string): Promise<Child> {
  return until(`${name} has exited`, async () => {
    const child = await childNamed(keeper, name);
    return child?.state === 'exited' ? child : null;
  });
}

function keepersOf(directory: string): readonly number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    const [program, argument] = commandLine(pid).slice(-2);
    return program?.endsWith('/keeper/main.ts') && argument === directory && isAlive(pid);
  });
}

function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

/**
 * For tests only: a state directory with real keepers and children. Leaving the scene shuts down
 * its keeper, and fails if anything is left behind then.
 */
export class Scene implements AsyncDisposable {
  readonly directory: string;
  readonly keeperId: string;
  readonly #root: string;
  readonly #clients: Keeper[] = [];

  /** `below` is made inside of the temporary directory, for names of a certain length. */
  constructor(below = 'state') {
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), 'keeper-')));
    this.directory = join(this.#root, below);
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    this.keeperId = keeperIdentifier(this.directory);
  }

  async keeper(): Promise<Keeper> {
    const keeper = await ensureKeeper(this.directory);
    this.#clients.push(keeper);
    return keeper;
  }

  /** As kill -9 does it; whatever it looked after goes on. */
  async killKeeper(): Promise<void> {
    const { pid } = await (await this.keeper()).ping();
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);
  }

  /** A request to start `sh -c script` in the state directory. */
  shell(name: string, script: string, more: Partial<StartParams> = {}): StartParams {
    return {
      name,
      command: ['sh', '-c', script],
      directory: this.directory,
      environment: { PATH: process.env.PATH ?? '' },
      leaseMs: null,
      logFile: this.path(`logs/${name}.log`),
      ...more,
    };
  }

  /** Started, and so far that it said `ready`. */
  async startReady(keeper: Keeper, params: StartParams): Promise<Child> {
    const child = await keeper.start(params);
    await until(`${params.name} is ready`, () =>
      /^ready$/m.test(this.read(`logs/${params.name}.log`)),
    );
    return child;
  }

  /** Carries a mark of this keeper, though no keeper has ever heard of it. */
  stray(name: string): number {
    const mark = formatMark({ keeper: this.keeperId, name, instance: newInstance() });
    const env = { ...process.env, [markVariable]: mark };
    const stray = spawn('sleep', ['100'], { detached: true, stdio: 'ignore', env });
    stray.unref();
    return stray.pid as number;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Empty as long as there is no such file. */
  read(name: string): string {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), 'utf8') : '';
  }

  /** A pid that a child wrote to a file, once it is there in full. */
  pidIn(name: string): Promise<number> {
    return until(`there is a pid in ${name}`, () =>
      this.read(name).endsWith('\n') ? Number(this.read(name)) : null,
    );
  }

  logged(event: string): readonly JsonObject[] {
    const lines = this.read('logs/keeper.log').trim().split('\n');
    return lines.map((line) => JSON.parse(line)).filter((entry) => entry.event === event);
  }

  /** The keeper's socket, without the manners of the client. */
  async dial(): Promise<Socket> {
    const socket = connect(socketPlace(this.directory, 'keeper').path);
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (existsSync(this.path('keeper.pid'))) await this.#shutDown();
    for (const client of this.#clients) client.close();
    // One that comes late finds its place taken or gone; it must not become a keeper after all.
    await until('no keeper is left', () => keepersOf(this.directory).length === 0);
    const left = listMarked(this.keeperId);
    for (const { pid } of left) process.kill(pid, 'SIGKILL');
    rmSync(this.#root, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`left behind: ${JSON.stringify(left)}`);
  }

  async #shutDown(): Promise<void> {
    const keeper = await this.keeper();
    const { pid } = await keeper.ping();
    await keeper.shutdown();
    await untilGone(pid);
  }
}
