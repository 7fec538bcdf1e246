import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { endGroup, sharedLimits, tryOr } from '../../kernel/index.ts';
import { execScript } from '../exec-script.ts';
import { systemLimits } from '../limits.ts';

export interface TrialRequest {
  readonly command: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

const lookEveryMs = 100;

/**
 * Starts a program for a moment, to see on which port it listens. Everything of it is ended again.
 * Undefined when it ended, or listened nowhere in time.
 */
export async function trialPort(request: TrialRequest): Promise<number | undefined> {
  const child = spawn('/bin/sh', ['-c', execScript(request.command)], {
    cwd: request.directory,
    env: { ...process.env, ...request.environment },
    stdio: 'ignore',
    // A group of its own, so that all of it can be ended.
    detached: true,
  });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  try {
    return await Promise.race([untilListening(child), gone.then(() => undefined)]);
  } finally {
    await end(child, gone);
  }
}

async function untilListening({ pid }: ChildProcess): Promise<number | undefined> {
  const deadline = performance.now() + systemLimits.trialMsMax;
  while (pid !== undefined && performance.now() < deadline) {
    const [port] = listeningPorts(groupOf(pid));
    if (port !== undefined) return port;
    await delay(lookEveryMs);
  }
  return undefined;
}

async function end({ pid }: ChildProcess, gone: Promise<void>): Promise<void> {
  endGroup(pid, 'SIGTERM');
  const grace = delay(sharedLimits.stopGraceMsMax, undefined, { ref: false });
  await Promise.race([gone, grace]);
  endGroup(pid, 'SIGKILL');
}

/** A process and all that it started, as long as these stay in its group. */
function groupOf(leader: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    const stat = read(`/proc/${pid}/stat`);
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === leader;
  });
}

/** The kernel lists sockets by number, and a process its sockets by the same. */
function listeningPorts(pids: readonly number[]): number[] {
  const sockets = new Set(pids.flatMap(socketsOf));
  const lines = ['tcp', 'tcp6'].flatMap((name) => read(`/proc/net/${name}`).split('\n'));
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const isOurs = state === '0A' && sockets.has(inode);
    return isOurs ? [Number.parseInt(local.split(':')[1] ?? '0', 16)] : [];
  });
}

function socketsOf(pid: number): string[] {
  try {
    const names = readdirSync(`/proc/${pid}/fd`);
    return names.flatMap((name) => {
      const target = readlinkSync(`/proc/${pid}/fd/${name}`);
      return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
    });
  } catch {
    // It ended, or closed one while we looked.
    return [];
  }
}

function read(path: string): string {
  return tryOr(() => readFileSync(path, 'utf8'), '');
}
