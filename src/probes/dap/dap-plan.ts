import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { fault, isSecretName, type Json, redactField, redactSecrets } from '../../kernel/index.ts';
import type { Capture, Observation } from '../api-schema.ts';
import { probeLimits } from '../limits.ts';
import type { CaptureBatch, InstrumentPlan, Place } from '../port.ts';
import type { DapLanguage } from './expression-tokens.ts';
import {
  type ForeignExpression,
  readForeignCondition,
  readForeignExpression,
} from './foreign-expression.ts';

/** A plan that one of these debuggers can carry out: its expressions passed the allow-list. */
export interface DapPlan {
  readonly kind: 'log' | 'snapshot' | 'counter';
  readonly file: string;
  readonly line: number;
  readonly template: readonly (string | number)[];
  readonly expressions: readonly ForeignExpression[];
  readonly condition?: ForeignExpression;
  readonly sampleRate: number;
  readonly hitsMax: number;
}

export function checkDapPlan(plan: InstrumentPlan, language: DapLanguage): DapPlan {
  const { kind, line, file, template = [], sampleRate, hitsMax, condition } = plan;
  if (kind !== 'log' && kind !== 'snapshot' && kind !== 'counter') {
    throw fault('PROBE_KIND_UNSUPPORTED', { kind, runtime: language });
  }
  if (line === undefined) {
    const kindText = `${kind} at a function`;
    throw fault('PROBE_KIND_UNSUPPORTED', { kind: kindText, runtime: language });
  }
  return {
    kind,
    file,
    line,
    template,
    expressions: plan.expressions.map(({ text }) => readForeignExpression(text, language)),
    ...(condition ? { condition: readForeignCondition(condition.text, language) } : {}),
    sampleRate,
    hitsMax,
  };
}

/** A hit as a debugger reported it. */
export interface RawCapture {
  readonly at: number;
  readonly hit: number;
  readonly values: readonly (readonly [string, Observation])[];
  readonly stack: Capture['stack'];
}

type CaptureOfBatch = CaptureBatch['captures'][number];

/** Without secrets, with strings cut, and with a log's text. */
export function toCapture(raw: RawCapture, plan: DapPlan): CaptureOfBatch {
  const known = new Map(plan.expressions.map((one) => [one.text, one]));
  const values = Object.fromEntries(
    raw.values.map(([text, seen]) => {
      const { name = text, isSecret = false } = known.get(text) ?? {};
      return [text, hideSecrets(name, seen, isSecret)];
    }),
  );
  const { at, hit, stack } = raw;
  if (plan.kind !== 'log') return { at, hit, values, stack };
  return { at, hit, values, stack, message: formatMessage(plan, values) };
}

const redacted = '[redacted]';

function hideSecrets(name: string, seen: Observation, isSecret: boolean): Observation {
  if ('error' in seen) return { error: String(redactSecrets(seen.error)) };
  if (isSecret || isSecretName(name)) return { type: seen.type, value: redacted };
  return { type: seen.type, value: cut(redactField(name, seen.value as Json)) };
}

function cut(value: Json): Json {
  const { probeStringCharsMax: max } = probeLimits;
  if (typeof value === 'string') return value.length > max ? `${value.slice(0, max)}…` : value;
  if (Array.isArray(value)) return value.map(cut);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item as Json)]));
}

function formatMessage(
  { template, expressions }: DapPlan,
  values: Readonly<Record<string, Observation>>,
): string {
  const parts = template.map((part) => {
    if (typeof part === 'string') return part;
    const seen = values[expressions[part]?.text ?? ''];
    if (!seen) return '?';
    if ('error' in seen) return `<${seen.error}>`;
    return typeof seen.value === 'string' ? seen.value : JSON.stringify(seen.value);
  });
  return parts.join('');
}

/** What runs was read when the process started: a file that is newer may be another one. */
export async function describePlace(
  found: Pick<Place, 'file' | 'line' | 'function'> & { readonly startedMs: number },
): Promise<Place> {
  const { file, line, function: name, startedMs } = found;
  const source = await readFile(file).catch(() => undefined);
  const text = source?.toString('utf8').split('\n')[line - 1]?.trim().slice(0, 200) ?? '';
  const isNewer = source && (await stat(file)).mtimeMs > startedMs;
  return {
    file,
    line,
    function: name,
    scriptHash: source ? createHash('sha256').update(source).digest('hex') : '',
    text: String(redactSecrets(text)),
    ...(isNewer ? { drift: 'the file on disk is newer than the process' } : {}),
    ...(source ? {} : { drift: 'the file is not on this machine' }),
  };
}

const ticksPerSecond = 100;

/** When a process started, in milliseconds since 1970. */
export async function startedAt({ startTicks }: { readonly startTicks: number }): Promise<number> {
  const stat = await readFile('/proc/stat', 'latin1');
  const bootSeconds = Number(/^btime (\d+)$/m.exec(stat)?.[1] ?? 0);
  return (bootSeconds + startTicks / ticksPerSecond) * 1_000;
}
