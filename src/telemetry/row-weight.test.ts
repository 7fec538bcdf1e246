import { expect, test } from 'vitest';
import { alertRow, deploymentRow, hopRow, logRow, metricRow, spanRow } from './row.fixture.ts';
import { weightOf } from './row-weight.ts';
import type { TelemetryRows } from './rows.ts';

const rows = {
  spans: spanRow(),
  logs: logRow(),
  metrics: metricRow(),
  hops: hopRow(),
  deployments: deploymentRow(),
  alerts: alertRow(),
};

/** These have few letters, wherever rows are made. */
const short = ['lane', 'traceId', 'spanId', 'parentSpanId', 'kind', 'status', 'severity', 'state'];

const texts = Object.entries(rows).flatMap(([table, row]) =>
  Object.entries(row)
    .filter(([key, value]) => typeof value === 'string' && !short.includes(key))
    .filter(([key]) => key !== 'protocol' && !(table === 'logs' && key === 'source'))
    .map(([key]) => [table as keyof TelemetryRows, key] as const),
);

test.each(texts)('the weight of a row of %s includes the text in %s', (table, key) => {
  const weigh = (text: string): number =>
    weightOf(table, { ...rows[table], [key]: text } as TelemetryRows[typeof table][number]);
  expect(weigh('x'.repeat(1_000)) - weigh('')).toBe(2_000);
});
