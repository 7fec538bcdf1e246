import { readdirSync, readFileSync } from 'node:fs';

/** Set for every command of a workspace, and handed down: also by a keeper, which has no mark. */
export const workspaceVariable = 'SURETY_TEST_WORKSPACE';

/** Whatever still runs of a workspace: by its variable, or by the mark that its keeper gives. */
export function processesOf(root: string, keeperId: string): number[] {
  const signs = [`${workspaceVariable}=${root}\0`, `SURETY_MARK=${keeperId}/`];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      const environment = readEnvironment(pid);
      return signs.some((sign) => environment.includes(sign));
    });
}

/** Empty for one that has ended meanwhile, or that nobody has taken notice of yet. */
function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
