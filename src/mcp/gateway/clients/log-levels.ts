import type { JsonObject } from '../../../kernel/index.ts';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Whether a message is at least as grave as its reader wants; without a wish none is. */
export function isWanted({ level }: JsonObject, wanted: string | undefined): boolean {
  return wanted !== undefined && levels.indexOf(String(level)) >= levels.indexOf(wanted);
}
