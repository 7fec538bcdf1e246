import { setTimeout as delay } from 'node:timers/promises';
import type { OperationResponse } from '../../../http/index.ts';
import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { quantity, sparkline } from '../../format/sparkline.ts';
import { tableLines } from '../../format/table-lines.ts';
import { visible } from '../../format/visible.ts';
import { showAsked } from './answer-lines.ts';
import { askedOptions } from './question-options.ts';

type Answer = OperationResponse<'POST /v1/telemetry/ask'>;

const againAfterMs = 2_000;

export const run: RunCommand = async (invocation) => {
  if (invocation.options.prometheus) return askServer(invocation);
  const {
    place,
    words: [metric],
    options,
  } = invocation;
  const client = connectDaemon(place);
  const question = metric === undefined ? 'metric-names' : 'metric';
  const body = { question, ...askedOptions(options), ...(metric === undefined ? {} : { metric }) };
  for (;;) {
    const answer = await client.call('POST /v1/telemetry/ask', { body });
    show(answer, metric, invocation);
    if (!options.follow) return;
    await delay(againAfterMs);
  }
};

function show(answer: Answer, metric: string | undefined, { output, options }: Invocation): void {
  output.value(answer);
  // With --follow, each picture replaces the one before.
  if (options.follow) output.clear();
  output.line(output.tone('bold', visible(answer.said)));
  if (metric === undefined) showNames(answer, output);
  else showSeries(answer, output);
  if (!options.follow) showAsked(answer, output);
}

function showNames({ rows }: Answer, output: Output): void {
  const columns = ['name', 'kind', 'unit', 'series', 'points', 'last_at', 'services'];
  if (rows.length > 0) for (const line of tableLines(columns, rows)) output.line(line);
}

function showSeries({ rows, from, until }: Answer, output: Output): void {
  for (const [name, series] of Map.groupBy(rows, (row) => String(row.name))) {
    const { kind, unit } = series[0] ?? {};
    output.line(
      `\n${output.tone('bold', visible(name))}  ${output.tone('dim', howTold(String(kind)))}`,
    );
    for (const row of series) {
      const columns = Math.ceil((until - from) / 1_000 / Number(row.step_seconds));
      const line = sparkline(row.steps as number[], row.values as number[], columns);
      const formatValue = (value: unknown): string =>
        quantity(Number(value), visible(String(unit)));
      const range = `${formatValue(row.last)}  ${output.tone('dim', `${formatValue(row.least)} to ${formatValue(row.most)}`)}`;
      output.line(`  ${line}  ${range}  ${visible(nameOf(row))}`);
    }
  }
}

function howTold(kind: string): string {
  return kind === 'gauge' ? '' : kind === 'counter' ? 'each second' : 'mean';
}

function nameOf(row: Answer['rows'][number]): string {
  const lane = row.lane === 'baseline' ? '' : ` ${row.lane}`;
  const labels = row.labels === '{}' ? '' : ` ${row.labels}`;
  return `${row.service}${lane}${labels}`;
}

type ServerAnswer = OperationResponse<'POST /v1/prometheus/query'>;

const stepsMax = 60;

/** `surety metrics --prometheus`: what the server that is there already knows. */
async function askServer(invocation: Invocation): Promise<undefined> {
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
  showServerAnswer(answer, output);
}

function showServerAnswer(answer: ServerAnswer, output: Output): void {
  const { series, seriesFound, query, url, warnings } = answer;
  for (const { labels, points } of series) output.line(lineOf(labels, points));
  if (seriesFound > series.length)
    output.line(`${seriesFound - series.length} more series are not shown.`);
  if (series.length === 0) output.line('No series matches at that time.');
  for (const warning of warnings) output.line(output.tone('warn', visible(warning)));
  output.line(output.tone('dim', `${query}  at ${url}`));
}

type Series = ServerAnswer['series'][number];

function lineOf(labels: Series['labels'], points: Series['points']): string {
  const name = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const last = points.at(-1)?.value ?? '';
  const values = points.map(({ value }) => Number(value)).filter(Number.isFinite);
  const bars = points.length > 1 ? `${sparkline(indexes(values), values, stepsMax)}  ` : '';
  return visible(`${bars}${last}  {${name.join(', ')}}`);
}

const indexes = (values: readonly number[]): number[] => values.map((_, index) => index);
