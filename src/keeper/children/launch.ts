import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, statSync } from 'node:fs';
import { type Fault, fault } from '../../kernel/index.ts';
import type { OrderOf } from '../protocol/request.ts';
import type { Exit } from './exit.ts';
import { openLogFile } from './log-file.ts';
import { formatMark, markVariable, type ProcessMark } from './mark.ts';

/** How a process exited by itself, if known. */
export interface ProcessEnd extends Omit<Exit, 'at'> {
  readonly reason: 'exited';
}

export interface LaunchedProcess {
  /** Undefined when it could not be started; `gone` then rejects with the reason. */
  readonly pid: number | undefined;
  readonly gone: Promise<ProcessEnd>;
}

/** Not async: no other call may run between the check of the roster and the new entry. */
export function launch(order: OrderOf<'start'>, mark: ProcessMark): LaunchedProcess {
  try {
    checkDirectory(order.directory);
    const child = spawnMarked(order, mark);
    return { pid: child.pid, gone: departure(child, order) };
  } catch (error) {
    throw startFailed(order, error);
  }
}

/** A missing directory would be reported as a missing program. */
function checkDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new Error(`there is no directory ${directory}`);
}

function spawnMarked({ command, ...order }: OrderOf<'start'>, mark: ProcessMark): ChildProcess {
  const [program, ...args] = command as readonly [string, ...string[]];
  const log = openLogFile(order.logFile);
  try {
    return spawn(program, args, {
      cwd: order.directory,
      env: { ...order.environment, [markVariable]: formatMark(mark) },
      stdio: ['ignore', log, log],
      // A separate session and process group: signals reach the whole group, and none meant for the
      // keeper.
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

function departure(child: ChildProcess, order: OrderOf<'start'>): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => resolve({ code, signal, reason: 'exited' }));
    child.once('error', (error) => reject(startFailed(order, error)));
  });
}

function startFailed({ name }: OrderOf<'start'>, error: unknown): Fault {
  return fault('PROCESS_START_FAILED', { name, reason: (error as Error).message }, error);
}
