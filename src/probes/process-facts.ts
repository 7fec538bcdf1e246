import { readFile, readlink } from 'node:fs/promises';

/** What everybody may know about a process, whoever it belongs to. */
export interface ProcessIdentity {
  readonly pid: number;
  /** With the pid, tells a process from a later one that got the same number. */
  readonly startTicks: number;
  readonly user: number;
  readonly catchesSigusr1: boolean;
}

/** Nothing for a process that is gone, dead but not yet buried, or in truth a thread. */
export async function readIdentity(pid: number): Promise<ProcessIdentity | undefined> {
  const [stat, status] = await Promise.all([readProc(pid, 'stat'), readProc(pid, 'status')]);
  if (stat === undefined || status === undefined) return undefined;
  // The program's name comes second, in parentheses, and may hold blanks and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (/^[ZX]$/.test(fields[0] as string) || statusField(status, 'Tgid') !== String(pid)) {
    return undefined;
  }
  const caught = BigInt(`0x${statusField(status, 'SigCgt') || '0'}`);
  return {
    pid,
    startTicks: Number(fields[22 - 3]),
    user: Number.parseInt(statusField(status, 'Uid'), 10),
    catchesSigusr1: ((caught >> BigInt(sigusr1 - 1)) & 1n) === 1n,
  };
}

const sigusr1 = 10;

function statusField(status: string, name: string): string {
  return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
}

/** Whether the process is still the same, and not another one with its number. */
export async function isStill({ pid, startTicks }: ProcessIdentity): Promise<boolean> {
  return (await readIdentity(pid))?.startTicks === startTicks;
}

/** The file that is executed, also after it was replaced on disk by a newer one. */
export async function readProgram(pid: number): Promise<string> {
  return (await readLink(`/proc/${pid}/exe`))?.replace(/ \(deleted\)$/, '') ?? '';
}

/** Another network has another 127.0.0.1: an inspector there cannot be reached from here. */
export async function sharesNetwork(pid: number): Promise<boolean> {
  const [theirs, ours] = await Promise.all([
    readLink(`/proc/${pid}/ns/net`),
    readLink('/proc/self/ns/net'),
  ]);
  return theirs === ours;
}

/** Options that Node may have been started with; arguments of the application are among them. */
export async function readOptions(pid: number): Promise<readonly string[]> {
  const [command = '', environment = ''] = await Promise.all([
    readProc(pid, 'cmdline'),
    readProc(pid, 'environ'),
  ]);
  const variable = /(?:^|\0)NODE_OPTIONS=([^\0]*)/.exec(environment)?.[1] ?? '';
  return [...command.split('\0'), ...variable.split(' ')].filter((text) => text.startsWith('--'));
}

async function readProc(pid: number, name: string): Promise<string | undefined> {
  return readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => undefined);
}

function readLink(path: string): Promise<string | undefined> {
  return readlink(path).catch(() => undefined);
}
