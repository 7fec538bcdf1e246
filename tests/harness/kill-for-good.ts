import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { killHard } from './kill-hard.ts';
import type { Up, Workspace } from './workspace.ts';

/**
 * Kills a daemon that the keeper would start again: no start succeeds until the returned function
 * is called, which starts it.
 */
export async function killForGood(workspace: Workspace, pid: number): Promise<() => Promise<Up>> {
  const { configFile } = workspace.place;
  const config = existsSync(configFile) ? readFileSync(configFile) : undefined;
  writeFileSync(configFile, 'no: [valid\n');
  await killHard(pid);
  return () => {
    if (config === undefined) rmSync(configFile);
    else writeFileSync(configFile, config);
    return workspace.up();
  };
}
