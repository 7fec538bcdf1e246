import { basename } from 'node:path';
import { fault } from '../../kernel/index.ts';
import {
  type ProcessIdentity,
  readIdentity,
  readOptions,
  readProgram,
  sharesNetwork,
} from './process-facts.ts';

/** A process that can be probed. */
export interface Target extends ProcessIdentity {
  /** Where its inspector opens on SIGUSR1; 0 is a free port of the system's choice. */
  readonly expectedPort: number;
  /** Started with --inspect: its inspector is open on purpose, and stays open. */
  readonly wantsInspector: boolean;
}

/**
 * Everything that can be known without touching it. SIGUSR1 ends a process that does not expect
 * it, so whatever cannot be recognised as a listening Node is refused.
 */
export async function checkTarget(pid: number): Promise<Target> {
  checkPlatform(process.platform);
  const identity = await readIdentity(pid);
  if (!identity) throw fault('PROBE_PROCESS_MISSING', { pid });
  checkOwner(identity);
  await checkProgram(identity);
  checkAwake(identity);
  if (!(await sharesNetwork(pid))) throw forbidden(pid, 'it is in another network namespace');
  return { ...identity, ...readInspectorOptions(await readOptions(pid)) };
}

/**
 * Directly before the signal: the pid may belong to another process by now, and the process may
 * run another program, which SIGUSR1 would end.
 */
export async function recheckTarget({ pid, startTicks }: Target): Promise<void> {
  const identity = await readIdentity(pid);
  if (identity?.startTicks !== startTicks) throw fault('PROBE_PROCESS_MISSING', { pid });
  await checkProgram(identity);
  checkAwake(identity);
}

/** It would keep the signal, and open its inspector when nobody waits for it any more. */
function checkAwake({ pid, isStopped }: ProcessIdentity): void {
  if (isStopped) throw forbidden(pid, 'it is stopped by a signal or a debugger');
}

export function checkPlatform(platform: NodeJS.Platform): void {
  if (platform !== 'linux') throw fault('NEEDS_LINUX', { what: 'Placing a probe', platform });
}

function checkOwner({ pid, user }: ProcessIdentity): void {
  const own = process.geteuid?.() ?? 0;
  if (own !== 0 && own !== user) {
    throw forbidden(pid, `it belongs to user ${user}, and this is user ${own}`);
  }
  if (pid === process.pid) throw forbidden(pid, 'whoever pauses itself cannot go on');
}

const nodePrograms = /^node(?:js)?[-.\d]*$/;

export function isNodeProgram(name: string): boolean {
  return nodePrograms.test(name);
}

async function checkProgram({ pid, catchesSigusr1 }: ProcessIdentity): Promise<void> {
  const program = basename(await readProgram(pid));
  if (!isNodeProgram(program)) {
    throw fault('PROBE_NOT_NODE', { pid, program, reason: 'it is not Node.js' });
  }
  if (!catchesSigusr1) {
    const reason = 'it does not listen to SIGUSR1 (--disable-sigusr1), or is only just starting';
    throw fault('PROBE_NOT_NODE', { pid, program, reason });
  }
}

function forbidden(pid: number, reason: string): Error {
  return fault('PROBE_NOT_PERMITTED', { pid, reason });
}

const defaultPort = 9229;
const portOption = /^--(?:inspect(?:-brk|-wait|-port)?|debug-port)=(?:.*:)?(\d+)$/;
const openOption = /^--inspect(?:-brk|-wait)?(?:=|$)/;

export function readInspectorOptions(
  options: readonly string[],
): Pick<Target, 'expectedPort' | 'wantsInspector'> {
  const ports = options.flatMap((option) => portOption.exec(option)?.[1] ?? []);
  return {
    expectedPort: Number(ports.at(-1) ?? defaultPort),
    wantsInspector: options.some((option) => openOption.test(option)),
  };
}
