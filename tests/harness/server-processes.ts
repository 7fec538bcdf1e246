import { readdirSync, readFileSync } from 'node:fs';

/** The server's process and its children: connections are served by processes of their own. */
export function withChildren(parent: number): number[] {
  const children = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && parentOf(pid) === parent);
  return [parent, ...children];
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

/** Pauses all of them, as a machine does that is short of memory, until `during` is over. */
export async function paused(pids: readonly number[], during: () => Promise<void>): Promise<void> {
  try {
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    await during();
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
}
