import type { Clock } from './clock.ts';
import type { JsonObject } from './json/json.ts';
import { redactSecrets } from './redaction.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/** Structured: one JSON object per line, the same fields everywhere, secrets removed. */
export type Log = (level: LogLevel, event: string, details?: JsonObject) => void;

export function createLog(source: string, clock: Clock, write: (line: string) => void): Log {
  return (level, event, details) => {
    const at = new Date(clock.now()).toISOString();
    const safe = details ? (redactSecrets(details) as JsonObject) : {};
    write(`${JSON.stringify({ at, level, source, event, ...safe })}\n`);
  };
}
