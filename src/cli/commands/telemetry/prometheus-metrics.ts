import type { OperationResponse } from '../../../http/index.ts';
import type { Invocation } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { sparkline } from '../../format/sparkline.ts';
import { visible } from '../../format/visible.ts';

type Answer = OperationResponse<'POST /v1/prometheus/query'>;

const stepsMax = 60;

/** `surety metrics --prometheus`: what the server that is there already knows. */
export async function askServer(invocation: Invocation): Promise<undefined> {
  const { place, output, options, words: given } = invocation;
  const client = connectDaemon(place);
  const [query] = given;
  if (query === undefined) {
    const known = await client.call('GET /v1/prometheus/queries', {});
    output.value(known);
    output.line(known.url ?? 'surety.yaml names no Prometheus server.');
    for (const { name, query: text } of known.queries) output.line(`  ${name}  ${text}`);
    return;
  }
  const since = typeof options.since === 'string' ? { since: options.since } : {};
  const answer = await client.call('POST /v1/prometheus/query', { body: { query, ...since } });
  output.value(answer);
  show(answer, output);
}

function show(answer: Answer, output: Output): void {
  const { series, seriesFound, query, url, warnings } = answer;
  for (const { labels, points } of series) output.line(lineOf(labels, points));
  if (seriesFound > series.length)
    output.line(`${seriesFound - series.length} more series are not shown.`);
  if (series.length === 0) output.line('No series matches at that time.');
  for (const warning of warnings) output.line(output.tone('warn', visible(warning)));
  output.line(output.tone('dim', `${query}  at ${url}`));
}

type Series = Answer['series'][number];

function lineOf(labels: Series['labels'], points: Series['points']): string {
  const name = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const last = points.at(-1)?.value ?? '';
  const values = points.map(({ value }) => Number(value)).filter(Number.isFinite);
  const bars = points.length > 1 ? `${sparkline(indexes(values), values, stepsMax)}  ` : '';
  return visible(`${bars}${last}  {${name.join(', ')}}`);
}

const indexes = (values: readonly number[]): number[] => values.map((_, index) => index);
