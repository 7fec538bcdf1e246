import { readFileSync } from 'node:fs';
import type { OrderOf } from '../protocol/request.ts';
import type { ChildRecord } from './child.ts';
import { markVariable } from './mark.ts';

/**
 * How to restart a child that an earlier keeper started. Its environment is read from the process
 * itself: it may hold secrets, which are never written to a file.
 */
export function orderOf(record: ChildRecord): OrderOf<'start'> | undefined {
  const { name, command, directory, logFile, stopGraceMs, hold, bounds, restart } = record;
  const environment = environmentOf(record.pid);
  if (!environment || command.length === 0) return undefined;
  const leaseMs = null;
  const own = { logFile, stopGraceMs, hold, bounds, restart };
  return { name, command, directory, environment, leaseMs, ...own };
}

/** Undefined when it cannot be read, or when the process wrote something else over it. */
function environmentOf(pid: number): Record<string, string> | undefined {
  const variables = readEnvironment(pid).split('\0').filter(Boolean);
  const entries = variables.map((text) => {
    const equals = text.indexOf('=');
    return [text.slice(0, equals), text.slice(equals + 1)] as const;
  });
  if (!entries.some(([name]) => name === markVariable)) return undefined;
  return Object.fromEntries(entries.filter(([name]) => name !== markVariable && name !== ''));
}

function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
