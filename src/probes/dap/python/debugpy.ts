import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fault } from '../../../kernel/index.ts';
import type { DebugTarget } from '../debug-target.ts';

/** An interpreter that has debugpy, and the folder from which another one can import it. */
export interface Debugpy {
  readonly python: string;
  readonly folder: string;
}

const question = 'import debugpy, debugpy.adapter; print(debugpy.__file__)';

/** First what the process itself uses, so that their versions match. */
export async function findDebugpy(target: DebugTarget): Promise<Debugpy> {
  const named = process.env.SURETY_DEBUGPY_PYTHON;
  const candidates = named ? [named] : [...(await interpretersOf(target)), 'python3', 'python'];
  for (const python of candidates) {
    const file = await ask(python);
    if (file) return { python, folder: dirname(dirname(file)) };
  }
  throw fault('PROBE_DEBUGGER_MISSING', {
    debugger: 'debugpy',
    language: 'Python',
    remedy:
      'Install it beside the program (python3 -m pip install debugpy), or set SURETY_DEBUGPY_PYTHON to an interpreter that has it.',
  });
}

/** A program of another user is never executed: this may run as root. */
async function interpretersOf({ pid, user, command }: DebugTarget): Promise<readonly string[]> {
  if (user !== process.geteuid?.()) return [];
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  const virtual = /(?:^|\0)VIRTUAL_ENV=([^\0]+)/.exec(environment)?.[1];
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '/');
  const [first = ''] = command;
  const executable = await readlink(`/proc/${pid}/exe`).catch(() => '');
  return [
    ...(isAbsolute(first) || first.includes('/') ? [resolve(cwd, first)] : []),
    ...(virtual ? [`${virtual}/bin/python`] : []),
    ...(executable.startsWith('/') ? [executable.replace(/ \(deleted\)$/, '')] : []),
  ];
}

const questionMsMax = 15_000;

function ask(python: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const options = { timeout: questionMsMax, cwd: '/', killSignal: 'SIGKILL' } as const;
  execFile(python, ['-c', question], options, (error, stdout) => {
    resolve(error ? undefined : stdout.trim());
  });
  return promise;
}

/** Where a process that was started with `python -m debugpy --listen` waits for a debugger. */
export function listenAddressOf(
  command: readonly string[],
): { readonly host: string; readonly port: number } | undefined {
  const at = command.indexOf('--listen');
  const isDebugpy = command.some((word) => /(?:^|\/)debugpy(?:$|\/)/.test(word));
  if (at === -1 || !isDebugpy) return undefined;
  const [, host = '127.0.0.1', port] = /^(?:(.*):)?(\d+)$/.exec(command[at + 1] ?? '') ?? [];
  if (port === undefined) return undefined;
  return { host: host === '0.0.0.0' ? '127.0.0.1' : host, port: Number(port) };
}
