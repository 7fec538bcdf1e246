/** One line of the Prometheus text format, or of OpenMetrics. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
  /** As written: in milliseconds, in OpenMetrics in seconds; null if omitted. */
  readonly stamp: number | null;
}

export type Labels = ReadonlyMap<string, string>;

const metricName = /[A-Za-z_:][\w:]*/y;
const labelName = /[A-Za-z_][\w.]*/y;
const quoted = /"((?:[^"\\]|\\[\s\S])*)"/y;
const space = /[ \t]*/y;
/** The part after the labels; an exemplar after it is recognised and dropped. */
const rest = /^[ \t]*(\S+)(?:[ \t]+(-?[\d.eE+-]+))?[ \t]*(?:#[ \t]*\{.*)?$/;

/** Reads a line from left to right, once: the cost depends only on its length. */
export function readSample(line: string): MetricSample | undefined {
  const cursor = { line, at: 0 };
  const labels = new Map<string, string>();
  const plain = take(cursor, metricName)?.[0];
  const name = readLabels(cursor, labels, plain);
  if (!name) return undefined;
  const [, number = '', stamp] = rest.exec(line.slice(cursor.at)) ?? [];
  const value = readNumber(number);
  if (value === undefined) return undefined;
  return { name, labels, value, stamp: stamp === undefined ? null : Number(stamp) };
}

interface Cursor {
  readonly line: string;
  at: number;
}

/** The name of the metric, which may be quoted among the labels; undefined if invalid. */
function readLabels(
  cursor: Cursor,
  labels: Map<string, string>,
  plain: string | undefined,
): string | undefined {
  take(cursor, space);
  if (cursor.line[cursor.at] !== '{') return plain;
  cursor.at++;
  let name = plain;
  for (;;) {
    take(cursor, space);
    if (cursor.line[cursor.at] === '}') break;
    const key = readKey(cursor);
    if (key === undefined) return undefined;
    take(cursor, space);
    if (cursor.line[cursor.at] === '=') {
      const value = readValue(cursor);
      if (value === undefined) return undefined;
      labels.set(key, value);
    } else if (name === undefined) name = key;
    else return undefined;
    take(cursor, space);
    if (cursor.line[cursor.at] === ',') cursor.at++;
    else if (cursor.line[cursor.at] !== '}') return undefined;
  }
  cursor.at++;
  return name;
}

function readKey(cursor: Cursor): string | undefined {
  return take(cursor, labelName)?.[0] ?? readText(cursor);
}

function readValue(cursor: Cursor): string | undefined {
  cursor.at++;
  take(cursor, space);
  return readText(cursor);
}

function readText(cursor: Cursor): string | undefined {
  const text = take(cursor, quoted)?.[1];
  return text?.includes('\\') ? unquote(text) : text;
}

function unquote(text: string): string {
  return text.replace(/\\(.)/gs, (_, mark: string) => (mark === 'n' ? '\n' : mark));
}

function take(cursor: Cursor, form: RegExp): RegExpExecArray | null {
  form.lastIndex = cursor.at;
  const found = form.exec(cursor.line);
  if (found) cursor.at = form.lastIndex;
  return found;
}

const words: Readonly<Record<string, number>> = {
  '+inf': Number.POSITIVE_INFINITY,
  inf: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  nan: Number.NaN,
};

export function readNumber(text: string): number | undefined {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
  const word = text.toLowerCase();
  return Object.hasOwn(words, word) ? words[word] : undefined;
}
