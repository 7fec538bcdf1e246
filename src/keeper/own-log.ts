import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, createLog, type Log } from '../kernel/index.ts';
import { openLogFile } from './children/log-file.ts';

export function ownLogPath(stateDirectory: string): string {
  return join(stateDirectory, 'logs', 'keeper.log');
}

export function openOwnLog(stateDirectory: string, clock: Clock): Log {
  const descriptor = openLogFile(ownLogPath(stateDirectory));
  return createLog('keeper', clock, (line) => {
    try {
      writeSync(descriptor, line);
    } catch {
      // A full disk: looking after children matters more than telling about it.
    }
  });
}
