import type { LogRow } from './rows.ts';

/** From the least to the most severe. */
export const severities = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

const bySpelling: Readonly<Record<string, LogRow['severity']>> = {
  trace: 'trace',
  silly: 'trace',
  verbose: 'debug',
  debug: 'debug',
  info: 'info',
  information: 'info',
  informational: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  err: 'error',
  critical: 'fatal',
  crit: 'fatal',
  alert: 'fatal',
  emergency: 'fatal',
  emerg: 'fatal',
  panic: 'fatal',
  fatal: 'fatal',
};

/** The severity by the spellings of loggers; empty if none matches. */
export function severityNamed(text: string): LogRow['severity'] {
  const spelling = text.toLowerCase();
  return Object.hasOwn(bySpelling, spelling) ? (bySpelling[spelling] ?? '') : '';
}
