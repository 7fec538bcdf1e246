import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Clock,
  createClock,
  existingDirectory,
  type Log,
  lockDirectory,
} from '../kernel/index.ts';
import { openOwnLog } from './own-log.ts';

/** Where and when a keeper lives. */
export interface KeeperPlace {
  /** The real path of the state directory. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * False once the directory was deleted. Made again, it may have another keeper with the same
   * mark: each of the two would take the other's children for strays and write over its state.
   */
  isOurs(): boolean;
  giveUp(): void;
}

export function takePlace(stateDirectory: string): KeeperPlace {
  const directory = existingDirectory(stateDirectory, 'src/keeper/main.ts');
  const lock = lockDirectory(directory, 'keeper');
  const clock = createClock();
  const lockFile = join(directory, 'keeper.lock');
  const inode = inodeOf(lockFile);
  return {
    directory,
    clock,
    log: openOwnLog(directory, clock),
    isOurs: () => inodeOf(lockFile) === inode,
    giveUp: () => lock.release(),
  };
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
