import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { tableLines } from '../../format/table-lines.ts';
import { visible } from '../../format/visible.ts';
import { logText } from '../run/log-text.ts';
import { showAsked } from './answer-lines.ts';
import { askedOptions } from './question-options.ts';
import { milliseconds, waterfallLines } from './waterfall-lines.ts';

const columnsUsual = 120;

export const run: RunCommand = async (invocation) => {
  const [id] = invocation.words;
  await (id === undefined ? list(invocation) : one(id, invocation));
};

async function list({ place, output, options }: Invocation): Promise<void> {
  const question = options.failed ? 'failed-traces' : 'slow-traces';
  const body = { question, ...askedOptions(options) };
  const answer = await connectDaemon(place).call('POST /v1/telemetry/ask', { body });
  output.value(answer);
  output.line(output.tone('bold', visible(answer.said)));
  const columns = [
    'time',
    'trace_id',
    'service',
    'name',
    'duration_ms',
    'spans',
    'services',
    'errors',
    'lane',
  ];
  if (!answer.isEmpty) for (const line of tableLines(columns, answer.rows)) output.line(line);
  showAsked(answer, output);
}

async function one(trace: string, { place, output }: Invocation): Promise<void> {
  const path = { trace };
  const found = await connectDaemon(place).call('GET /v1/telemetry/traces/{trace}', { path });
  output.value(found);
  const { spans, durationMs, traces, startedAt, lines, said } = found;
  output.line(output.tone('bold', visible(said)));
  if (!found.isEmpty) {
    output.line(`${traces.join(', ')}, ${startedAt}, ${milliseconds(durationMs)} ms\n`);
    const columns = process.stdout.columns ?? columnsUsual;
    for (const { text, isError } of waterfallLines(spans, durationMs, columns)) {
      output.line(isError ? output.tone('bad', text) : text);
    }
    if (lines.length > 0) output.line('');
    for (const line of tableLines(
      ['time', 'service', 'severity', 'text'],
      lines.map(readable),
    ).slice(1)) {
      output.line(line);
    }
  }
  showAsked(found, output);
}

function readable<Line extends { text?: unknown }>(line: Line): Line {
  return { ...line, text: logText(String(line.text)) };
}
