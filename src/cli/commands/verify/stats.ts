import type { OperationResponse } from '../../../http/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { tableLines } from '../../format/table-lines.ts';
import { wholeNumber } from '../../options/whole-number.ts';

type Stats = OperationResponse<'GET /v1/stats'>;

const usualWeeks = 12;
const columns = [
  'week',
  'pass',
  'fail',
  'inconclusive',
  'green',
  'attempts',
  'promotions',
  'returns',
  'incidents',
  'findings',
  'disputes',
];

export const run: RunCommand = async ({ place, output, options }) => {
  const weeks = wholeNumber('--weeks', options.weeks, usualWeeks, 1);
  const stats = await connectDaemon(place).call('GET /v1/stats', { query: { weeks } });
  output.value(stats);
  for (const line of summary(stats)) output.line(line);
  if (stats.weeks.length > 0) output.line('');
  if (stats.weeks.length > 0)
    for (const line of tableLines(columns, stats.weeks)) output.line(line);
};

function summary(stats: Stats): string[] {
  const { successRate, attemptsToGreen, firstTryRate, escapeRate, falseAlarmRate } = stats;
  return [
    `passed          ${percent(successRate)} of verdicts`,
    `attempts        ${attemptsToGreen?.toFixed(2) ?? '—'} changes until one passed; ${percent(firstTryRate)} at once`,
    `escapes         ${percent(escapeRate)} of promotions were reverted or caused an incident`,
    `false alarms    ${percent(falseAlarmRate)} of findings were disputed`,
  ];
}

function percent(share: number | null): string {
  return share === null ? '—' : `${(share * 100).toFixed(1)} %`;
}
