import { readFileSync } from 'node:fs';
import { tryOr } from '../../kernel/index.ts';

/**
 * The program itself, where bubblewrap waits for it: below bubblewrap's own process there is the
 * first process of the namespace, and below that the program.
 */
export function confinedPid(pid: number): number {
  if (readProc(`${pid}/comm`).trim() !== 'bwrap') return pid;
  const [child] = readProc(`${pid}/task/${pid}/children`).split(' ');
  return child ? confinedPid(Number(child)) : pid;
}

function readProc(path: string): string {
  // It ended meanwhile.
  return tryOr(() => readFileSync(`/proc/${path}`, 'latin1'), '');
}
