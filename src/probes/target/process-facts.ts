import { readFile, readlink } from 'node:fs/promises';

/** What everybody may know about a process, whoever it belongs to. */
export interface ProcessIdentity {
  readonly pid: number;
  /** With the pid, tells a process from a later one that got the same number. */
  readonly startTicks: number;
  readonly user: number;
  readonly catchesSigusr1: boolean;
  /** By a signal or a tracer: it handles no other signal until it goes on. */
  readonly isStopped: boolean;
}

/** Nothing for a process that is gone, dead but not yet buried, or in truth a thread. */
export async function readIdentity(pid: number): Promise<ProcessIdentity | undefined> {
  const [stat, status] = await Promise.all([readProc(pid, 'stat'), readProc(pid, 'status')]);
  if (stat === undefined || status === undefined) return undefined;
  const { isDead, isStopped, startTicks } = parseStat(stat);
  if (isDead || statusField(status, 'Tgid') !== String(pid)) return undefined;
  const caught = BigInt(`0x${statusField(status, 'SigCgt') || '0'}`);
  return {
    pid,
    startTicks,
    user: Number.parseInt(statusField(status, 'Uid'), 10),
    catchesSigusr1: ((caught >> BigInt(sigusr1 - 1)) & 1n) === 1n,
    isStopped,
  };
}

const sigusr1 = 10;

/** What the kernel says about the life of a process, in proc_pid_stat(5). */
export function parseStat(stat: string): {
  readonly isDead: boolean;
  readonly isEnding: boolean;
  readonly isStopped: boolean;
  readonly startTicks: number;
} {
  // The program's name comes second, in parentheses, and may hold blanks and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): string => fields[number - 3] ?? '';
  const isDead = /^[ZX]$/.test(field(3));
  const isEnding = isDead || (Number(field(9)) & exitingFlag) !== 0;
  const isStopped = /^[Tt]$/.test(field(3));
  return { isDead, isEnding, isStopped, startTicks: Number(field(22)) };
}

/** The kernel's PF_EXITING. */
const exitingFlag = 4;

function statusField(status: string, name: string): string {
  return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
}

/** Whether the process is still the same, and not another one with its number. */
export async function isStill({ pid, startTicks }: ProcessIdentity): Promise<boolean> {
  return (await readIdentity(pid))?.startTicks === startTicks;
}

/**
 * Whether it is on its way out, or gone. The kernel marks a process before it closes its sockets,
 * and buries it after: who has just lost a connection to it may still find it among the living.
 */
export async function isEnding({ pid, startTicks }: ProcessIdentity): Promise<boolean> {
  const stat = await readProc(pid, 'stat');
  if (stat === undefined) return true;
  const found = parseStat(stat);
  return found.isEnding || found.startTicks !== startTicks;
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

/** Options that Node was started with, by its command line or its environment. */
export async function readOptions(pid: number): Promise<readonly string[]> {
  const [command = '', environment = ''] = await Promise.all([
    readProc(pid, 'cmdline'),
    readProc(pid, 'environ'),
  ]);
  const variable = /(?:^|\0)NODE_OPTIONS=([^\0]*)/.exec(environment)?.[1] ?? '';
  return [...ownOptions(command.split('\0').slice(1)), ...variable.split(' ')].filter((text) =>
    text.startsWith('--'),
  );
}

/** Options that take the next word. */
const valued =
  /^(?:-r|--require|--import|--(?:experimental-)?loader|-e|--eval|-p|--print|-pe|-C|--conditions|--env-file(?:-if-exists)?|--input-type|--title|--inspect-port|--debug-port)$/;

/** The words before the script: what comes after it is meant for the application. */
export function ownOptions(words: readonly string[]): readonly string[] {
  const options: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (word === '--' || !word.startsWith('-')) break;
    const takesNext = valued.test(word);
    options.push(takesNext ? `${word}=${words[++index] ?? ''}` : word);
  }
  return options;
}

async function readProc(pid: number, name: string): Promise<string | undefined> {
  return readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => undefined);
}

function readLink(path: string): Promise<string | undefined> {
  return readlink(path).catch(() => undefined);
}
