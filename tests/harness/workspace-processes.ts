import { readdirSync, readFileSync } from 'node:fs';

/** Set for every process that a test starts for a workspace, and handed down. */
export const workspaceVariable = 'SURETY_TEST_WORKSPACE';

/**
 * Whatever still runs of a workspace: by its variable, by the mark that its keeper gives, or, as
 * the keeper itself has neither, by the directory that it was started for.
 */
export function processesOf(root: string, keeperId: string): number[] {
  const signs = [`${workspaceVariable}=${root}\0`, `SURETY_MARK=${keeperId}/`];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      const environment = readProcess(pid, 'environ');
      return (
        signs.some((sign) => environment.includes(sign)) ||
        readProcess(pid, 'cmdline').endsWith(`\0${root}/.surety\0`)
      );
    });
}

/** Processes of anybody that have this among their arguments. */
export function processesWith(argument: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => readProcess(pid, 'cmdline').split('\0').includes(argument));
}

export function programName(pid: number): string {
  return readProcess(pid, 'comm').trim();
}

/** Empty for one that has ended meanwhile, or that nobody has taken notice of yet. */
function readProcess(pid: number, file: 'environ' | 'cmdline' | 'comm'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
