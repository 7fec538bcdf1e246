/** One metric of ours, with all its series. */
export interface ExposedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: Iterable<ExposedSample>;
}

export interface ExposedSample {
  /** The suffix of the name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
}

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** The Prometheus text format. A metric without series is left out. */
export function printExposition(metrics: Iterable<ExposedMetric>): string {
  const parts: string[] = [];
  for (const { name, help, type, samples } of metrics) {
    const lines = [...samples].map((sample) => printSample(name, sample));
    if (lines.length === 0) continue;
    parts.push(`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`);
    parts.push(`# TYPE ${name} ${type}`, ...lines);
  }
  return `${parts.join('\n')}\n`;
}

function printSample(name: string, { suffix = '', labels, value }: ExposedSample): string {
  const pairs = labels.map(([label, text]) => `${label}="${escapeLabel(text)}"`).join(',');
  return `${name}${suffix}${pairs === '' ? '' : `{${pairs}}`} ${printNumber(value)}`;
}

export function escapeLabel(text: string): string {
  if (!/[\\\n"]/.test(text)) return text;
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

export function printNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
