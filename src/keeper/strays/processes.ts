import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tryOr } from '../../kernel/index.ts';
import { keeperIdentifier, markVariable, type ProcessMark, parseMark } from '../children/mark.ts';

/** What this machine says about its processes. Linux only: elsewhere nothing is ever found. */
export const hasProc: boolean = process.platform === 'linux' && existsSync('/proc/self/stat');

export interface ProcessStat {
  readonly parent: number;
  readonly group: number;
  /** Somebody may sit at it. */
  readonly hasTerminal: boolean;
  readonly startTicks: number;
  /** Dead, and only waiting for its parent to take notice. */
  readonly isZombie: boolean;
}

export interface MarkedProcess {
  readonly pid: number;
  readonly mark: ProcessMark;
}

export function readStat(pid: number): ProcessStat | undefined {
  const stat = readProc(`${pid}/stat`)?.toString('latin1');
  if (stat === undefined) return undefined;
  // The second field is the program's name in parentheses and may itself hold blanks and
  // parentheses; counting starts after its end, at field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isZombie = fields[0] === 'Z' || fields[0] === 'X';
  const [parent = 0, group = 0, , terminal = 0] = fields.slice(4 - 3, 8 - 3).map(Number);
  const startTicks = Number(fields[22 - 3]);
  return { parent, group, hasTerminal: terminal !== 0, startTicks, isZombie };
}

/**
 * A process that rewrote its environment for a title (nginx, postgres), or a zombie, shows none.
 */
export function readMark(pid: number): ProcessMark | undefined {
  const environment = readProc(`${pid}/environ`);
  if (!environment?.includes(`${markVariable}=`)) return undefined;
  for (const variable of environment.toString('latin1').split('\0')) {
    if (variable.startsWith(`${markVariable}=`)) {
      return parseMark(variable.slice(markVariable.length + 1));
    }
  }
  return undefined;
}

/** Every live process with a mark of this keeper, but never the caller itself. */
export function listMarked(keeper: string): readonly MarkedProcess[] {
  return listPids()
    .filter((pid) => pid !== process.pid)
    .map((pid) => ({ pid, mark: readMark(pid) }))
    .filter((found): found is MarkedProcess => found.mark?.keeper === keeper);
}

/** A process, and all that are below it. */
export function listTree(pid: number): number[] {
  const tasks = tryOr(() => readdirSync(`/proc/${pid}/task`), []);
  const lists = tasks.map((task) => readProc(`${pid}/task/${task}/children`)?.toString() ?? '');
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
  return [pid, ...children.flatMap(listTree)];
}

/** Groups with a member that is not a zombie. */
export function listLiveGroups(): ReadonlySet<number> {
  const stats = listPids().map(readStat);
  return new Set(stats.filter((stat) => stat && !stat.isZombie).map((stat) => stat?.group ?? 0));
}

export function listPids(): readonly number[] {
  return hasProc ? readdirSync('/proc').map(Number).filter(Number.isInteger) : [];
}

/** For people who look for leftovers of a directory whose keeper is gone. */
export function listMarkedProcesses(
  stateDirectory: string,
): readonly { readonly pid: number; readonly name: string }[] {
  const marked = listMarked(keeperIdentifier(stateDirectory));
  return marked.map(({ pid, mark }) => ({ pid, name: mark.name }));
}

/**
 * Ticks count from boot: two equal ones mean something only within one boot. A container that is
 * restarted loses its processes like a machine; only its first process tells that.
 */
export function readBootId(): string {
  const boot = readProc('sys/kernel/random/boot_id')?.toString('latin1').trim();
  return boot ? `${boot}-${readStat(1)?.startTicks ?? 0}` : '';
}

/** Keepers of earlier versions have written the id of the machine's boot alone. */
export function isThisBoot(written: string): boolean {
  const now = readBootId();
  return written !== '' && (written === now || written === now.replace(/-\d+$/, ''));
}

function readProc(path: string): Buffer | undefined {
  if (!hasProc) return undefined;
  // It ended meanwhile, or it belongs to somebody else: not ours in either case.
  return tryOr(() => readFileSync(`/proc/${path}`), undefined);
}
