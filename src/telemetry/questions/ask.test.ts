import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFault, rememberSecret } from '../../kernel/index.ts';
import type { AskedText } from '../api-schema.ts';
import { telemetryLimits } from '../limits.ts';
import { askSql } from './ask-sql.ts';
import { boundRows } from './bound-rows.ts';
import { QuestionStore } from './question-store.fixture.ts';
import { hop, log, noon, span } from './rows.fixture.ts';

let store: QuestionStore;
let bare: QuestionStore;
beforeAll(async () => {
  store = await QuestionStore.open({
    spans: [span(0), span(1, { service: 'pricing', lane: 'lane_a' })],
    hops: [hop(0)],
    logs: [log(0, 'x'.repeat(telemetryLimits.telemetryQuestionTextCharsMax + 1))],
  });
  bare = await QuestionStore.open({});
});
afterAll(() => Promise.all([store.remove(), bare.remove()]));

// proves: telemetry.no-data
describe('an answer without data says', () => {
  test('that nothing at all was reported', async () => {
    const { said, isEmpty, searched } = await bare.ask('latency');
    expect(said).toMatch(/^No data: nothing at all was reported to requests yet\. Services report/);
    expect([isEmpty, searched]).toEqual([true, 'requests (none)']);
  });

  test.each<[string, AskedText, string]>([
    ['latency', { service: 'order' }, 'no service "order" is in requests. Did you mean "orders"?'],
    ['latency', { service: 'zzz' }, 'There is: orders, pricing.'],
    ['slowest-hops', { service: 'zzz' }, 'no service "zzz" is in hops. There is: orders.'],
    ['latency', { lane: 'lane_b' }, 'no lane "lane_b" is in requests. Did you mean "lane_a"?'],
    ['latency', { since: '1d', until: '10h' }, 'what is kept begins at 2026-11-15T12:00:00.000Z'],
    ['latency', { since: '10s' }, 'the last came at 2026-11-15T12:00:01.000Z; ask with since'],
    ['metric-names', {}, 'nothing at all was reported to metrics yet'],
  ])('for %s %j: %s', async (question, given, why) => {
    const answer = await store.ask(question, given);
    expect(answer).toMatchObject({ isEmpty: true, said: expect.stringContaining(why) });
  });

  test('that there are rows and none matches', async () => {
    const { said } = await store.ask('latency', { route: '/other' });
    expect(said).toContain('Nothing matches: requests has 2 rows from 2026-11-15T11:46:00.001Z');
  });

  test('that there are rows only before and after the range', async () => {
    const { said } = await store.ask('latency', { since: '59900ms', until: '59100ms' });
    expect(said).toContain('No data in the range: requests has nothing from 2026-11-15T12:00:00.1');
  });
});

describe('a wrong parameter is refused with the allowed values:', () => {
  const long = 'x'.repeat(telemetryLimits.telemetryParameterCharsMax);

  test.each<[string, AskedText, string]>([
    ['latencies', {}, 'Did you mean "latency"?'],
    ['latency', { trace: 'a' }, 'latency takes no trace; it takes service, lane, route.'],
    ['trace', {}, 'trace needs trace or request'],
    ['trace', { trace: 'xyz' }, 'takes a trace of 32 hex digits, not "xyz"'],
    ['logs', { severity: 'loud' }, 'takes a severity of trace, debug, info, warn, error, fatal'],
    ['latency', { service: '' }, 'takes a service of 1 to 500 characters'],
    ['latency', { service: `${long}x` }, 'takes a service of 1 to 500 characters'],
    ['latency', { service: 'a\0b' }, 'takes a service of 1 to 500 characters'],
    ['latency', { since: 'yesterday' }, 'since is a duration before now such as 10m, 2h or 7d'],
    ['latency', { since: '9999-01-01' }, 'since is a duration before now'],
    ['latency', { since: '1m', until: '2m' }, 'The range ends before it begins'],
    ['new-log-signatures', { deployment: 'v9' }, 'none was recorded (surety deploy record)'],
  ])('%s %j', async (question, given, words) => {
    const refused = await store.ask(question, given).catch((error) => error);
    expect(isFault(refused), String(refused)).toBe(true);
    expect(`${refused.message} ${refused.remedy}`).toContain(words);
  });

  test('but any text is searched literally', async () => {
    for (const service of [long, `'; DROP TABLE spans; --`, '\\', '$1', '%', '"']) {
      expect((await store.ask('latency', { service })).said).toContain('no service');
    }
  });
});

describe('the limits of an answer', () => {
  test('truncate a long text and say how long it was', async () => {
    const [line] = await store.rows('logs');
    const most = telemetryLimits.telemetryQuestionTextCharsMax;
    expect(line?.text).toBe(`${'x'.repeat(most)}… (${most + 1} characters)`);
    const whole = [{ text: 'x'.repeat(most) }];
    expect(boundRows({ rows: whole, isCut: false }, 5).rows).toEqual(whole);
  });

  test('drop rows from the end of a large answer and say so', () => {
    const row = { text: 'x'.repeat(telemetryLimits.telemetryQuestionTextCharsMax) };
    const bytes = JSON.stringify(row).length;
    const fits = Math.floor(telemetryLimits.telemetryQuestionBytesMax / bytes);
    const rows = (count: number) => Array.from({ length: count }, () => row);
    const bound = (count: number) => boundRows({ rows: rows(count), isCut: false }, 10_000);
    expect(bound(fits)).toEqual({ rows: rows(fits), isCut: false });
    expect(bound(fits + 1)).toEqual({ rows: rows(fits), isCut: true });
  });

  test('apply the requested number of rows or the default', async () => {
    const sql = `SELECT * FROM range(${telemetryLimits.telemetryQuestionRows + 1})`;
    const usual = await askSql(sql, undefined, store.asker);
    expect([usual.rows.length, usual.isCut]).toEqual([telemetryLimits.telemetryQuestionRows, true]);
    expect(usual.said).toBe(
      `The first ${telemetryLimits.telemetryQuestionRows} rows; there are more.`,
    );
    const whole = await askSql(sql, telemetryLimits.telemetryQuestionRowsMax, store.asker);
    expect([whole.rows.length, whole.isCut]).toEqual([
      telemetryLimits.telemetryQuestionRows + 1,
      false,
    ]);
  });
});

test('an answer hides a secret that became known later', async () => {
  rememberSecret('sesame-opens-this');
  const rows = [{ text: 'sent sesame-opens-this', labels: { key: 'sesame-opens-this' } }];
  const told = boundRows({ rows, isCut: false }, 1).rows;
  expect(JSON.stringify(told)).not.toContain('sesame');
});

test('an SQL query is answered with the range searched', async () => {
  const answer = await askSql('SELECT service, service FROM requests', 1, store.asker);
  expect(answer.columns.map(({ name }) => name)).toEqual(['service', 'service_2']);
  expect(answer).toMatchObject({ isCut: true, searched: expect.stringContaining('requests (2') });
  const none = await askSql('SELECT * FROM alerts', undefined, store.asker);
  expect(none).toMatchObject({ isEmpty: true, said: 'No rows. Looked through: alerts (none).' });
  expect(store.asker.now).toBe(noon + 60_000);
});
