import { expect, test } from 'vitest';
import { rememberSecret } from '../kernel/index.ts';
import { redactRows } from './redact-rows.ts';
import { alertRow, deploymentRow, hopRow, logRow, metricRow, spanRow } from './row.fixture.ts';
import type { TelemetryRows } from './rows.ts';

const secret = 'hush-hush-1234';
rememberSecret(secret);

const whole: TelemetryRows = {
  spans: [spanRow()],
  logs: [logRow()],
  metrics: [metricRow()],
  hops: [hopRow()],
  deployments: [deploymentRow()],
  alerts: [alertRow()],
};

/** Ids are hex digits, and these are words of ours, wherever rows are made. */
const ours = ['traceId', 'spanId', 'parentSpanId', 'kind', 'status', 'severity', 'source', 'state'];
const json = ['attributes', 'events', 'labels', 'requestShape', 'responseShape'];

const texts = Object.entries(whole).flatMap(([table, [row]]) =>
  Object.entries(row as object)
    .filter(([key, value]) => typeof value === 'string' && key !== 'buckets')
    .filter(([key]) => !ours.includes(key) || (table === 'alerts' && key === 'source'))
    .map(([key]) => [table, key] as const),
);

// proves: telemetry.secrets
test.each(texts)('the rows of %s are stored without secrets in %s', (table, key) => {
  const said = json.includes(key) ? JSON.stringify({ a: [secret], [secret]: 1 }) : `a ${secret} b`;
  const row = { ...whole[table as keyof TelemetryRows][0], [key]: said };
  const redacted = redactRows({ [table]: [row] })[table as keyof TelemetryRows]?.[0];
  const stored = String((redacted as unknown as Record<string, unknown>)[key]);
  expect(stored).toContain('[redacted secret]');
  expect(stored).not.toContain(secret);
  if (json.includes(key)) expect(JSON.parse(stored)).toHaveProperty('a', ['[redacted secret]']);
});

test('rows without secrets are returned unchanged', () => {
  const redacted = redactRows(whole);
  expect(redacted).toEqual(whole);
  expect(redacted.spans?.[0]).toBe(whole.spans[0]);
});

test.each([
  ['a number', { pin: 48151623 }, { pin: '[redacted secret]' }],
  ['a quoted text', { a: 'x "48151623"' }, { a: 'x "[redacted secret]"' }],
  [
    'an address and a mail, which only look like one together',
    { url: 'http://a:80', mail: 'x@y' },
    { url: 'http://a:80', mail: 'x@y' },
  ],
])('redacting %s in JSON keeps valid JSON', (_, said, stored) => {
  rememberSecret('48151623');
  const [row] = redactRows({ spans: [spanRow({ attributes: JSON.stringify(said) })] }).spans ?? [];
  expect(JSON.parse(row?.attributes ?? '')).toEqual(stored);
});

test('invalid JSON is redacted as text', () => {
  const [row] = redactRows({ hops: [hopRow({ requestShape: `{${secret}` })] }).hops ?? [];
  expect(row?.requestShape).toBe('"{[redacted secret]"');
});

test('a text is redacted once it is known to be a secret', () => {
  const route = '/reset/late-and-secret';
  const stored = () => redactRows({ spans: [spanRow({ route })] }).spans?.[0]?.route;
  expect(stored()).toBe(route);
  rememberSecret('late-and-secret');
  expect(stored()).toBe('/reset/[redacted secret]');
});
