import { fault } from '../../../kernel/index.ts';
import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { tableLines } from '../../format/table-lines.ts';
import { visible } from '../../format/visible.ts';
import { showAsked } from './answer-lines.ts';
import { askedOptions } from './question-options.ts';

export const run: RunCommand = async (invocation) => {
  const {
    output,
    words: [question],
    options,
  } = invocation;
  if (options.sql !== undefined) await askSql(invocation);
  else if (question === undefined) await list(invocation);
  else {
    const body = { question, ...askedOptions(options) };
    const answer = await connectDaemon(invocation.place).call('POST /v1/telemetry/ask', { body });
    show(answer, output);
  }
};

async function askSql({ place, output, words: [question], options }: Invocation): Promise<void> {
  if (question !== undefined) {
    const reason = `query takes a question or --sql, not both`;
    throw fault('USAGE', { reason, help: 'surety query --help' });
  }
  const { rowsMax } = askedOptions(options);
  const body = { sql: String(options.sql), rowsMax };
  show(await connectDaemon(place).call('POST /v1/telemetry/query', { body }), output);
}

interface QueryAnswer {
  readonly said: string;
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly query: string;
  readonly searched: string;
  readonly isCut: boolean;
}

function show(answer: QueryAnswer, output: Output): void {
  output.value(answer);
  output.line(output.tone('bold', visible(answer.said)));
  if (answer.rows.length > 0) {
    const [head = '', ...lines] = tableLines(
      answer.columns.map(({ name }) => name),
      answer.rows,
    );
    output.line(`\n${output.tone('dim', head)}`);
    for (const line of lines) output.line(line);
  }
  showAsked(answer, output);
}

async function list({ place, output }: Invocation): Promise<void> {
  const { questions } = await connectDaemon(place).call('GET /v1/telemetry/questions', {});
  output.value({ questions });
  const width = Math.max(...questions.map(({ question }) => question.length));
  for (const { question, asks, takes, needs, since } of questions) {
    output.line(`${output.tone('bold', question.padEnd(width))}  ${asks}`);
    const flags = takes.map(({ name }) =>
      needs.includes(name) ? `${flagOf(name)} (needed)` : flagOf(name),
    );
    output.line(output.tone('dim', `${' '.repeat(width)}  ${flags.join(' ')}, --since ${since}`));
  }
  output.line('');
  output.line('Or in SQL: surety query --sql "…"; docs/telemetry.md has the views.');
}

function flagOf(name: string): string {
  return name === 'matching' ? '--grep' : `--${name}`;
}
