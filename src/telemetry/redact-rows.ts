import {
  type Json,
  type JsonObject,
  knownSecretsCount,
  redactSecrets,
  redactText,
} from '../kernel/index.ts';
import type { TelemetryRows } from './rows.ts';

/** What a column may contain: few different texts, any text, or JSON that has to stay valid. */
type Kind = 'word' | 'text' | 'json';

type Kinds<Row> = Partial<Record<keyof Row, Kind>>;

/** The columns of every table with text from others; hex ids and our own words are left out. */
const kinds: { readonly [Table in keyof TelemetryRows]: Kinds<TelemetryRows[Table][number]> } = {
  spans: {
    service: 'word',
    instance: 'word',
    lane: 'word',
    name: 'word',
    statusMessage: 'word',
    method: 'word',
    route: 'word',
    peer: 'word',
    requestId: 'text',
    errorSignature: 'word',
    attributes: 'json',
    events: 'json',
  },
  logs: {
    service: 'word',
    instance: 'word',
    lane: 'word',
    text: 'text',
    signature: 'word',
    attributes: 'json',
  },
  metrics: {
    service: 'word',
    instance: 'word',
    lane: 'word',
    name: 'word',
    unit: 'word',
    labels: 'json',
  },
  hops: {
    lane: 'word',
    requestId: 'text',
    caller: 'word',
    callee: 'word',
    instance: 'word',
    served: 'word',
    protocol: 'word',
    method: 'word',
    path: 'text',
    requestShape: 'json',
    responseShape: 'json',
  },
  deployments: { service: 'word', version: 'word', previous: 'word', actor: 'word', note: 'text' },
  alerts: {
    name: 'word',
    service: 'word',
    metric: 'word',
    note: 'text',
    source: 'word',
    labels: 'json',
  },
};

type AnyRow = Readonly<Record<string, unknown>>;
type Entry = readonly [key: string, redact: (text: string) => string];

const redactors: Readonly<Record<Kind, (text: string) => string>> = {
  word: redactWord,
  text: redactText,
  json: redactJson,
};

const columns = Object.entries(kinds).map(
  ([table, told]) =>
    [
      table as keyof TelemetryRows,
      Object.entries(told).map(([key, kind]): Entry => [key, redactors[kind]]),
    ] as const,
);

/**
 * Rows without secrets. Everything that is stored, exported or shown passes here, whoever reported
 * it. A row without secrets is returned unchanged.
 */
export function redactRows(rows: Partial<TelemetryRows>): Partial<TelemetryRows> {
  const redacted: Partial<Record<keyof TelemetryRows, AnyRow[]>> = {};
  for (const [table, entries] of columns) {
    const some = rows[table] as readonly AnyRow[] | undefined;
    if (some !== undefined) redacted[table] = some.map((row) => redactRow(row, entries));
  }
  // Each table keeps its own columns, which the compiler cannot follow.
  return redacted as unknown as Partial<TelemetryRows>;
}

function redactRow(row: AnyRow, entries: readonly Entry[]): AnyRow {
  let copy: Record<string, unknown> | undefined;
  for (const [key, redact] of entries) {
    const text = row[key] as string;
    const safe = text === '' ? text : redact(text);
    if (safe === text) continue;
    copy ??= { ...row };
    copy[key] = safe;
  }
  return copy ?? row;
}

/** A cache of redacted words, cleared when a new secret becomes known. */
const words = new Map<string, string>();
const wordsMax = 8_192;
const wordCharsMax = 256;
let secretsCount = 0;

function redactWord(text: string): string {
  if (text.length > wordCharsMax) return redactText(text);
  if (secretsCount !== knownSecretsCount() || words.size >= wordsMax) words.clear();
  secretsCount = knownSecretsCount();
  const known = words.get(text);
  if (known !== undefined) return known;
  const redacted = redactText(text);
  words.set(text, redacted);
  return redacted;
}

/**
 * Checked as a whole first: most texts contain no secret, and only in the others is every value
 * checked.
 */
function redactJson(text: string): string {
  if (text.length <= '{}'.length || redactText(text) === text) return text;
  try {
    return JSON.stringify(redactRest(redactSecrets(JSON.parse(text) as Json)));
  } catch {
    // Invalid JSON is kept as a JSON string.
    return JSON.stringify(redactText(text));
  }
}

/** A secret can also be a key or a number. */
function redactRest(value: Json): Json {
  if (typeof value === 'number')
    return redactText(String(value)) === String(value) ? value : '[redacted secret]';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(redactRest);
  const members = Object.entries(value as JsonObject);
  return Object.fromEntries(
    members.map(([key, member]) => [redactText(key), redactRest(member ?? null)]),
  );
}
