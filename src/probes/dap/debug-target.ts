import { readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { fault } from '../../kernel/index.ts';

/** A process that a debugger may be attached to, as /proc describes it. */
export interface DebugTarget {
  readonly pid: number;
  readonly startTicks: number;
  readonly user: number;
  readonly program: string;
  readonly command: readonly string[];
}

/** All that can be known without touching it. A debugger that waits for a stopped process hangs. */
export async function checkDebugTarget(pid: number): Promise<DebugTarget> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => undefined);
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  if (!status || !stat || /^State:\s*[ZX]/m.test(status)) {
    throw fault('PROBE_PROCESS_MISSING', { pid });
  }
  const user = Number(fieldOf(status, 'Uid').split(/\s/)[0]);
  const own = process.geteuid?.() ?? 0;
  if (own !== 0 && own !== user) {
    throw fault('PROBE_NOT_PERMITTED', { pid, reason: `it belongs to user ${user}` });
  }
  if (pid === process.pid)
    throw fault('PROBE_NOT_PERMITTED', { pid, reason: 'it is Surety itself' });
  const program = await programOf(pid);
  const tracer = fieldOf(status, 'TracerPid');
  if (tracer !== '0') {
    throw refusal(pid, program, `process ${tracer} is debugging it`, 'Wait until it is detached.');
  }
  if (fieldOf(status, 'State').startsWith('T')) {
    throw refusal(pid, program, 'it is stopped', `Let it go on: kill -CONT ${pid}`);
  }
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const startTicks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return { pid, startTicks, user, program, command: command.split('\0').slice(0, -1) };
}

export async function programOf(pid: number): Promise<string> {
  const path = await readlink(`/proc/${pid}/exe`).catch(() => '');
  return basename(path.replace(/ \(deleted\)$/, ''));
}

export function refusal(pid: number, program: string, reason: string, remedy: string): Error {
  return fault('PROBE_TARGET_REFUSED', { pid, program, reason, remedy });
}

/** How it is after a debugger left: what a person should know, or nothing. */
export async function readConditionAfter(target: DebugTarget): Promise<'gone' | readonly string[]> {
  const status = await readFile(`/proc/${target.pid}/status`, 'latin1').catch(() => undefined);
  const stat = await readFile(`/proc/${target.pid}/stat`, 'latin1').catch(() => '');
  const startTicks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  if (!status || /^State:\s*[ZX]/m.test(status) || startTicks !== target.startTicks) return 'gone';
  const tracer = fieldOf(status, 'TracerPid');
  return [
    ...(tracer === '0' ? [] : [`process ${tracer} is debugging it`]),
    ...(/^[Tt]/.test(fieldOf(status, 'State')) ? ['it is stopped'] : []),
  ];
}

export async function countThreads(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(fieldOf(status, 'Threads'));
}

function fieldOf(status: string, name: string): string {
  return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.trim() ?? '';
}
