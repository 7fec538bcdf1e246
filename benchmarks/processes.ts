import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { keeperIdentifier } from '../src/keeper/children/mark.ts';
import { connectKeeper } from '../src/keeper/index.ts';
import type { WorkspacePlace } from '../src/runtime/place.ts';
import { readDaemonFile } from '../src/runtime/state-files.ts';
import { freePort } from '../tests/harness/free-ports.ts';
import { until } from '../tests/harness/until.ts';
import { processesOf } from '../tests/harness/workspace-processes.ts';

interface Started {
  readonly port: number;
  readonly pid: number;
}

/** Everything that was started for a run, so that nothing of it is left. */
export class Processes {
  readonly #children: ChildProcess[] = [];
  readonly #places: WorkspacePlace[] = [];

  /** Options of Node, one file by its path from this folder, and what that is given. */
  spawn(words: readonly string[]): ChildProcess {
    const args = words.map((word) => (word.startsWith('.') ? local(word) : word));
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#children.push(child);
    return child;
  }

  /** One that says on its first line where it listens. */
  async start(...words: string[]): Promise<Started> {
    const { stdout, pid = 0 } = this.spawn(words);
    if (!stdout) throw new Error('a process without output');
    const [line] = await once(createInterface({ input: stdout }), 'line');
    return { port: Number(line), pid };
  }

  /** mcp-proxy starts its server itself, and is told where to listen. */
  async startPeer(server: string): Promise<Started> {
    const program = fileURLToPath(import.meta.resolve('mcp-proxy'));
    const file = program.replace(/dist\/.*$/, 'dist/bin/mcp-proxy.mjs');
    const port = await freePort();
    const address = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream'];
    const { pid = 0 } = this.spawn([file, ...address, '--', process.execPath, server]);
    await until('mcp-proxy listens', () =>
      fetch(`http://127.0.0.1:${port}/ping`).catch(() => undefined),
    );
    return { port, pid };
  }

  async startDaemon(place: WorkspacePlace, options: readonly string[] = []): Promise<Started> {
    this.#places.push(place);
    this.spawn([...options, '../src/runtime/daemon-main.ts', place.root]);
    const { port, pid } = await until('the daemon is there', () => readDaemonFile(place));
    return { port, pid };
  }

  async endOne(pid: number): Promise<void> {
    const child = this.#children.find((one) => one.pid === pid);
    if (child) await end(child);
  }

  async end(): Promise<void> {
    await Promise.all(this.#children.map(end));
    await Promise.all(this.#places.map(endKeeper));
  }
}

const local = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

const leaveMsMax = 10_000;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), leaveMsMax);
  await ended;
  clearTimeout(late);
}

/** A daemon leaves its keeper behind, which writes into its directory until it has left. */
async function endKeeper({ root, state }: WorkspacePlace): Promise<void> {
  const keeper = await connectKeeper(state).catch(() => undefined);
  await keeper?.shutdown();
  keeper?.close();
  const id = keeperIdentifier(state);
  await until('no process is left', () => processesOf(root, id).length === 0);
}

const ticksPerSecond = 100;

/** As the kernel counts it, of all threads. */
export function cpuSecondsOf(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = rest.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
