import { isJsonObject, type Json, type JsonObject, tryOr } from '../kernel/index.ts';
import type { LogRow } from './rows.ts';
import { severities, severityNamed } from './severity.ts';

/** The parts of a line that a logger wrote as JSON: pino, winston, bunyan and most others. */
export interface StructuredLine {
  readonly severity: LogRow['severity'];
  /** Its message, which is the same for similar lines. */
  readonly message: string;
}

/** Longer lines are documents rather than log lines, and slow to read. */
const lineCharsMax = 16_384;

/** Undefined for a line that is not a JSON object with a message. */
export function readStructured(text: string): StructuredLine | undefined {
  const line = text.trim();
  if (line.length > lineCharsMax || !line.startsWith('{') || !line.endsWith('}')) return undefined;
  const said = parse(line);
  if (!isJsonObject(said)) return undefined;
  const message = firstText(said, ['message', 'msg', 'event', 'text']);
  if (message === undefined) return undefined;
  const error = isJsonObject(said.err) ? firstText(said.err, ['message', 'type']) : undefined;
  return {
    severity: severityOf(said.level ?? said.severity ?? said.lvl),
    message: error === undefined || error === message ? message : `${message}: ${error}`,
  };
}

function parse(line: string): Json | undefined {
  return tryOr(() => JSON.parse(line), undefined);
}

function firstText(said: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = said[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** By name, or by pino's and bunyan's number: 30 is info. */
function severityOf(level: Json | undefined): LogRow['severity'] {
  if (typeof level === 'number') return severities[Math.floor(level / 10) - 1] ?? '';
  return typeof level === 'string' ? severityNamed(level) : '';
}
