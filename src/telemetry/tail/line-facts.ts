import { tryOr } from '../../kernel/index.ts';
import type { LogRow } from '../rows.ts';

export interface LineFacts {
  readonly severity: LogRow['severity'];
  readonly traceId: string;
  readonly spanId: string;
}

/** The facts that a logger writes into a line: most write JSON, some `name=value`. */
export function readLine(text: string): LineFacts {
  const fields = text.startsWith('{')
    ? tryOr(() => JSON.parse(text) as Fields, undefined)
    : undefined;
  return fields === undefined ? readText(text) : readFields(fields);
}

type Fields = Readonly<Record<string, unknown>>;

function readFields(fields: Fields): LineFacts {
  const find = (names: readonly string[]): unknown =>
    names.map((name) => fields[name]).find((value) => value !== undefined);
  return {
    severity: severityOf(
      find(['level', 'severity', 'levelname', 'severity_text', 'lvl', 'log.level']),
    ),
    traceId: idOf(find(['trace_id', 'traceId', 'trace.id', 'traceid']), 32),
    spanId: idOf(find(['span_id', 'spanId', 'span.id', 'spanid']), 16),
  };
}

function idOf(value: unknown, digits: number): string {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return text.length === digits && /^[0-9a-f]+$/.test(text) ? text : '';
}

/** Only the beginning of a line shows its severity. */
const headChars = 120;
const levelForm =
  /(?:^|[\s[(|])(?:level=|lvl=)?"?(trace|debug|info|notice|warn(?:ing)?|err(?:or)?|critical|fatal|panic)\b/i;
const traceForm = /\btrace[_.-]?id"?[=:]\s*"?([0-9a-f]{32})\b/i;
const spanForm = /\bspan[_.-]?id"?[=:]\s*"?([0-9a-f]{16})\b/i;

function readText(text: string): LineFacts {
  return {
    severity: severityOf(levelForm.exec(text.slice(0, headChars))?.[1]),
    traceId: traceForm.exec(text)?.[1]?.toLowerCase() ?? '',
    spanId: spanForm.exec(text)?.[1]?.toLowerCase() ?? '',
  };
}

const words: Readonly<Record<string, LogRow['severity']>> = {
  trace: 'trace',
  verbose: 'debug',
  debug: 'debug',
  info: 'info',
  information: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  err: 'error',
  error: 'error',
  critical: 'fatal',
  crit: 'fatal',
  alert: 'fatal',
  emergency: 'fatal',
  panic: 'fatal',
  fatal: 'fatal',
};

/** The numbers of pino and bunyan, in steps of ten; Python's are the same from 20 on, less ten. */
const numbered = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

function severityOf(level: unknown): LogRow['severity'] {
  if (typeof level === 'number') return numbered[Math.floor(level / 10) - 1] ?? '';
  const word = typeof level === 'string' ? level.toLowerCase() : '';
  return Object.hasOwn(words, word) ? (words[word] ?? '') : '';
}
