import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The switch for all probes is a file, so that it outlives the daemon. */
const switchFile = (state: string): string => join(state, 'probes-off');

export function areProbesOff(state: string): boolean {
  return existsSync(switchFile(state));
}

export function turnProbes(state: string, isOff: boolean): void {
  if (isOff) writeFileSync(switchFile(state), '');
  else rmSync(switchFile(state), { force: true });
}
