import type { OperationResponse } from '../../../http/index.ts';
import { pluralize } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { tableLines } from '../../format/table-lines.ts';
import { wholeNumber } from '../../options/whole-number.ts';

type Gaps = OperationResponse<'GET /v1/gaps'>;

const usualWeeks = 4;

export const run: RunCommand = async ({ place, output, options }) => {
  const weeks = wholeNumber('--weeks', options.weeks, usualWeeks, 1);
  const gaps = await connectDaemon(place).call('GET /v1/gaps', { query: { weeks } });
  output.value(gaps);
  const since = new Date(gaps.since).toISOString().slice(0, 10);
  output.line(`${pluralize(gaps.verdicts, 'judged change')} since ${since}`);
  for (const { title, columns, rows } of sections(gaps)) {
    output.line('');
    output.line(title);
    for (const line of rows.length > 0 ? tableLines(columns, rows) : ['none']) {
      output.line(`  ${line}`);
    }
  }
};

interface Section {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

function sections({ routes, services, unexecuted, kinds, suites, costs }: Gaps): Section[] {
  const idle = suites.filter(({ caught }) => caught === 0);
  return [
    {
      title: `Routes of real traffic that no lane got a request for${routes ? '' : ': unknown, because there is no telemetry'}`,
      columns: ['requests', 'service', 'route'],
      rows: routes ?? [],
    },
    {
      title: 'Services that no verdict was about',
      columns: ['service'],
      rows: services.map((service) => ({ service })),
    },
    {
      title: 'Changed code that no request ran',
      columns: ['place', 'condition', 'verdict', 'code'],
      rows: unexecuted.map(({ file, line, text, ...more }) => ({
        ...more,
        place: `${file}:${line}`,
        code: text,
      })),
    },
    {
      title: 'Kinds of files that were changed, and whose code never ran as far as is known',
      columns: ['kind', 'changes'],
      rows: kinds.filter(({ executed }) => executed === 0),
    },
    {
      title: 'Suites of which no check failed a change',
      columns: ['suite', 'runs'],
      rows: idle,
    },
    {
      title: 'What lanes and verdicts cost, by week',
      columns: [
        'week',
        'actor',
        'verdicts',
        'lanes',
        'cpuSeconds',
        'memoryGbHours',
        'verdictMinutes',
      ],
      rows: costs,
    },
  ];
}
