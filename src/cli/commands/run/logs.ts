import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, OperationResponse } from '../../../http/index.ts';
import { fault } from '../../../kernel/index.ts';
import { telemetryLimits } from '../../../telemetry/limits.ts';
import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { visible, visibleLines } from '../../format/visible.ts';
import { wholeNumber } from '../../options/whole-number.ts';
import { showAsked } from '../telemetry/answer-lines.ts';
import { askedOptions } from '../telemetry/question-options.ts';
import { lastLines } from './log-lines.ts';
import { logText } from './log-text.ts';

export const run: RunCommand = async (invocation) => {
  const {
    place,
    output,
    words: [name],
    options,
  } = invocation;
  if (isSearch(options)) return searchLogs(invocation);
  const count = wholeNumber('--lines', options.lines, 100);
  const names = logNames(place.logs);
  if (name !== undefined && !names.includes(name)) {
    const there = names.length > 0 ? `; there are: ${names.join(', ')}` : '';
    throw fault('NOT_FOUND', { what: `log "${name}"${there}` });
  }
  const shown = name === undefined ? names : [name];
  const prefix = shown.length > 1;
  const print = (source: string, line: string): void => {
    output.value({ source, line });
    const text = visibleLines(line);
    output.line(prefix ? `${output.tone('dim', source)}  ${text}` : text);
  };
  for (const source of shown) {
    const lines = lastLines(logFile(place.logs, source), count);
    for (const line of lines) print(source, line);
    if (lines.length === 0 && !prefix) output.line(output.tone('dim', formatSilence(source)));
  }
  if (options.follow) await follow(place.logs, shown, print);
};

/** A step such as `orders.build` has ended; a process may still write something. */
export function formatSilence(source: string): string {
  const [, service, step] = /^(.+)\.(install|build|migration|seed)$/.exec(source) ?? [];
  return step ? `The ${step} of ${service} printed nothing.` : `${source} has printed nothing yet.`;
}

function logNames(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((file) => file.endsWith('.log'))
    .map((file) => file.slice(0, -'.log'.length))
    .sort();
}

function logFile(directory: string, name: string): string {
  return join(directory, `${name}.log`);
}

/** Goes on until the user interrupts it. A log that was cut is read again from its start. */
async function follow(
  directory: string,
  names: readonly string[],
  print: (source: string, line: string) => void,
): Promise<void> {
  const positions = new Map(names.map((name) => [name, statSync(logFile(directory, name)).size]));
  for await (const _ of changes(directory)) {
    for (const [name, position] of positions) {
      const bytes = readFileSync(logFile(directory, name));
      const from = bytes.length < position ? 0 : position;
      const end = bytes.lastIndexOf(10) + 1;
      if (end <= from) continue;
      for (const line of bytes
        .subarray(from, end - 1)
        .toString('utf8')
        .split('\n')) {
        print(name, line);
      }
      positions.set(name, end);
    }
  }
}

async function* changes(directory: string): AsyncGenerator<void> {
  while (true) {
    await new Promise<void>((resolve) => {
      const watcher = watch(directory, () => {
        watcher.close();
        resolve();
      });
    });
    yield;
  }
}

type Row = OperationResponse<'POST /v1/telemetry/ask'>['rows'][number];

const filters = ['service', 'lane', 'trace', 'severity', 'since', 'grep'];

/** Whether lines are asked for by what they are about, and not by the file that they are in. */
function isSearch(options: Invocation['options']): boolean {
  return filters.some((name) => options[name] !== undefined);
}

/** What services said, out of telemetry; live, with what comes later than it was said. */
async function searchLogs(invocation: Invocation): Promise<undefined> {
  const {
    place,
    output,
    words: [name],
    options,
  } = invocation;
  if (name !== undefined) {
    const reason = 'logs takes the name of a log, or what lines are about (--service and others)';
    throw fault('USAGE', { reason, help: 'surety logs --help' });
  }
  const client = connectDaemon(place);
  const asked = askedOptions({ ...options, limit: undefined });
  const count = wholeNumber('--lines', options.lines, 100, 1);
  const body = {
    question: 'logs',
    ...asked,
    rowsMax: Math.min(count, telemetryLimits.telemetryQuestionRowsMax),
  };
  const answer = await client.call('POST /v1/telemetry/ask', { body });
  for (const row of answer.rows) print(row, output);
  if (!options.follow) {
    if (answer.isEmpty) output.line(visible(answer.said));
    if (!output.json) showAsked({ ...answer, isCut: false }, output);
    return;
  }
  await followSearch(client, body, answer.rows, output);
}

const lookEveryMs = 500;
const lateBy = '15s';

/** A line may come seconds after it was said: the last ones are asked for again and again. */
async function followSearch(
  client: Client,
  body: { question: string },
  shown: readonly Row[],
  output: Output,
): Promise<void> {
  let seen = new Set(shown.map(keyOf));
  for (;;) {
    await delay(lookEveryMs);
    const newest = { ...body, since: lateBy, rowsMax: telemetryLimits.telemetryQuestionRowsMax };
    const { rows } = await client.call('POST /v1/telemetry/ask', { body: newest });
    for (const row of rows) if (!seen.has(keyOf(row))) print(row, output);
    seen = new Set([
      ...rows.map(keyOf),
      ...[...seen].slice(-telemetryLimits.telemetryQuestionRowsMax),
    ]);
  }
}

const keyOf = ({ time, instance, text }: Row): string => JSON.stringify([time, instance, text]);

const tones = { warn: 'warn', error: 'bad', fatal: 'bad' } as const;

function print(row: Row, output: Output): void {
  output.value(row);
  const severity = String(row.severity);
  const tone = tones[severity as keyof typeof tones];
  const lane = row.lane === 'baseline' ? '' : ` ${row.lane}`;
  const head = `${String(row.time).slice(11, 23)}  ${row.service}${lane}`;
  const level = severity === '' ? '' : `${tone ? output.tone(tone, severity) : severity}  `;
  output.line(`${output.tone('dim', visible(head))}  ${level}${logText(String(row.text))}`);
}
