import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Json, sharedLimits } from '../../kernel/index.ts';
import type { RawRequest } from '../../lanes/index.ts';
import { systemLimits } from '../../system/limits.ts';
import { verifyLimits } from '../limits.ts';
import type { RecordedScenario, RecordingRules, StoredRequest } from './api-schema.ts';
import { RecordedStore, thinScenarios } from './recorded-store.ts';
import { Recorder } from './recorder.ts';
import { redactRequest } from './redact-request.ts';
import { RecordedSessions, recordSession } from './sessions.ts';

const rules: RecordingRules = {
  perMille: 1_000,
  perRoute: 2,
  headers: ['X-Tenant'],
  replace: { email: 'someone@example.com', age: 30 },
  keepDays: 7,
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const json = ['content-type', 'application/json'];
const form = ['content-type', 'application/x-www-form-urlencoded'];
const raw = (line: string, more: Partial<RawRequest> & { said?: Json } = {}): RawRequest => {
  const [method = '', path = ''] = line.split(' ');
  const { said, ...others } = more;
  const body = said === undefined ? {} : { body: base64(JSON.stringify(said)), headers: json };
  const known = { at: 1, client: 'c1', method, path, headers: [], status: 200 };
  return { ...known, body: null, answer: null, ...body, ...others };
};
const kept = (line: string, more: Partial<StoredRequest> = {}): StoredRequest => {
  const [method = '', path = ''] = line.split(' ');
  const known = { method, path, headers: [], credentials: [], withheld: [], status: 200 };
  return { ...known, body: null, answer: null, ...more };
};
const token = 'tok_9d8c7b6a5f4e';

describe('a stored request', () => {
  const cases: [string, RawRequest, Partial<StoredRequest>][] = [
    [
      'headers with credentials',
      raw('GET /me', {
        headers: ['Authorization', `Bearer ${token}`, 'Cookie', 'sid=12', 'X-Csrf-Token', 'abc'],
      }),
      { credentials: ['authorization', 'cookie', 'x-csrf-token'], headers: [], withheld: [] },
    ],
    [
      'headers that surety.yaml does not allow',
      raw('GET /me', { headers: ['User-Agent', 'x', 'X-Tenant', 'acme', 'Accept', '*/*'] }),
      {
        headers: [
          ['x-tenant', 'acme'],
          ['accept', '*/*'],
        ],
      },
    ],
    [
      'a field whose name says that it is a secret',
      raw('POST /login', { said: { user: 'ada', password: 'hunter2' } }),
      { body: '{"user":"ada","password":"[redacted]"}', withheld: ['password'] },
    ],
    [
      'a secret deep in a body',
      raw('POST /cards', { said: { list: [{ apiKey: { a: 'x' } }] } }),
      { body: '{"list":[{"apiKey":"[redacted]"}]}', withheld: ['apiKey'] },
    ],
    [
      'a secret in a query',
      raw('GET /hooks?a=1&access_token=hunter2'),
      { path: '/hooks?a=1&access_token=%5Bredacted%5D', withheld: ['access_token'] },
    ],
    [
      'the token of a link',
      raw('GET /reset?token=hunter2&page=2'),
      { path: '/reset?token=%5Bredacted%5D&page=2', withheld: ['token'] },
    ],
    [
      'numbers and objects in a secret field',
      raw('POST /confirm', { said: { otp: 424_242, reset_token: { is: ['hunter2'] } } }),
      { body: '{"otp":"[redacted]","reset_token":"[redacted]"}', withheld: ['otp', 'reset_token'] },
    ],
    [
      'a secret in a form',
      raw('POST /login', { headers: form, body: base64('user=ada&password=hunter%202') }),
      { body: 'user=ada&password=%5Bredacted%5D', withheld: ['password'] },
    ],
    [
      'a text that looks like a secret',
      raw('POST /notes', { said: { note: `see sk_live_${'a'.repeat(20)}` } }),
      { body: '{"note":"see [redacted api-key]"}', withheld: ['note'] },
    ],
    [
      'its credentials in the path or in other headers',
      raw(`GET /by/${token}?t=${token}`, {
        headers: ['authorization', `Bearer ${token}`, 'x-tenant', `of ${token}`],
      }),
      {
        path: '/by/[redacted]?t=%5Bredacted%5D',
        headers: [['x-tenant', 'of [redacted]']],
        withheld: ['t', 'the path', 'x-tenant'],
      },
    ],
  ];
  test.each(cases)('does not contain %s', (_, request, expected) => {
    const redacted = redactRequest(request, rules);
    expect(redacted).toMatchObject(expected);
    expect(JSON.stringify(redacted)).not.toMatch(/hunter|tok_9d|sk_live_a/);
  });

  test('contains no cookie values, but keeps cookie names and field names', () => {
    const headers = [
      ...json,
      'cookie',
      'customer_id=q1w2e3r4t5y6; selected="elephants"; a=b=cccccccc',
    ];
    const written = '{"customer_id": 1, "elephants": 2, "a": "selected"}';
    const harmless = raw('POST /customer_id', { headers, body: base64(written) });
    expect(redactRequest(harmless, rules)).toMatchObject({
      path: '/customer_id',
      body: written,
      withheld: [],
    });
    const said = { elephants: ['q1w2e3r4t5y6'], note: 'elephants', 'by q1w2e3r4t5y6': 1 };
    const secret = raw('POST /a', { headers, body: base64(JSON.stringify(said)) });
    expect(redactRequest(secret, rules)).toMatchObject({
      body: '{"elephants":["[redacted]"],"note":"[redacted]","by [redacted]":1}',
    });
  });

  test('has a configured stand-in for each secret, so that it can be sent again', () => {
    const said = { email: 'ada@example.org', people: [{ age: 71, name: null }] };
    const redacted = redactRequest(raw('POST /people?email=ada%40x.org', { said }), rules);
    expect(redacted).toMatchObject({ withheld: [], path: '/people?email=someone%40example.com' });
    expect(JSON.parse(redacted?.body ?? '')).toEqual({
      email: 'someone@example.com',
      people: [{ age: 30, name: null }],
    });
  });

  test('keeps a body without secrets byte for byte', () => {
    const body = '{ "big": 12345678901234567890, "a":1.0 }';
    const request = raw('POST /n', { headers: json, body: base64(body) });
    expect(redactRequest(request, rules)).toMatchObject({ body, withheld: [] });
  });

  test('must have a body that can be parsed', () => {
    const body = Buffer.from([0xff, 0, 1]).toString('base64');
    expect(redactRequest(raw('POST /upload', { body }), rules)).toBeNull();
  });
});

describe('the requests of one client are one scenario', () => {
  const paths = (sessions: readonly (readonly RawRequest[])[]) =>
    sessions.map((session) => session.map(({ path }) => path));

  test('found by client or trace, until the client is silent', () => {
    const sessions = new RecordedSessions();
    const headers = ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'];
    const first = [
      raw('GET /2', { at: 2, headers }),
      raw('GET /1', { at: 1 }),
      raw('GET /other', { at: 3, client: 'c2' }),
      raw('GET /3', { at: 4, client: 'c3', headers }),
    ];
    expect(sessions.add(first)).toEqual([]);
    expect(paths(sessions.end(10_003))).toEqual([['/other']]);
    expect(paths(sessions.end())).toEqual([['/1', '/2', '/3']]);
    expect(sessions.end()).toEqual([]);
  });

  test('up to the limit of requests', () => {
    const sessions = new RecordedSessions();
    const many = Array.from({ length: verifyLimits.recordedScenarioRequestsMax + 1 }, () =>
      raw('GET /'),
    );
    expect(sessions.add(many).map(({ length }) => length)).toEqual([many.length - 1]);
    expect(paths(sessions.end())).toEqual([['/']]);
  });

  test('up to the limit of bytes of all open scenarios; the oldest end first', () => {
    const sessions = new RecordedSessions();
    const part = verifyLimits.recordedOpenBytesMax / 4;
    const of = (client: string, bytes: number): RawRequest =>
      raw(`GET /${client}`, { client, answer: 'x'.repeat(bytes - `/${client}`.length) });
    const open = ['a', 'b', 'c', 'd'].map((client) => of(client, part));
    expect(sessions.add(open)).toEqual([]);
    expect(paths(sessions.add([of('b', 2)]))).toEqual([['/a']]);
    expect(paths(sessions.add([of('c', part)]))).toEqual([['/b', '/b']]);
    expect(paths(sessions.add([of('e', part + 1)]))).toEqual([['/c', '/c']]);
    expect(paths(sessions.end())).toEqual([['/d'], ['/e']]);
    expect(sessions.add(open)).toEqual([]);
  });

  test('with only those values of answers that later requests contain', () => {
    const answer = base64(JSON.stringify({ order: { id: 'ord-7001' }, card: 'visa-4242-4242' }));
    const session = [
      raw('POST /orders', { said: { sku: 'a' }, answer, status: 201 }),
      raw('GET /orders/ord-7001', { answer }),
      raw('OPTIONS /orders'),
      raw('GET /chat', { status: 101 }),
      raw('GET /gone', { status: 0 }),
    ];
    const recorded = recordSession(session, 'traffic_1', rules);
    expect(recorded?.requests.map(({ answer: stored }) => stored)).toEqual([
      { order: { id: 'ord-7001' } },
      null,
    ]);
    expect(recordSession([raw('OPTIONS /')], 'traffic_2', rules)).toBeNull();
  });
});

const scenario = (id: string, requests: readonly StoredRequest[], at = 1): RecordedScenario => ({
  id,
  at,
  requests,
});

test('keeps the newest requests of each route and shape, with those that they need', () => {
  const order = kept('POST /orders', { answer: { id: 'ord-1234' } });
  const scenarios = [
    scenario('new', [order, kept('GET /orders/ord-1234'), kept('GET /orders/7')]),
    scenario('old', [kept('GET /orders/8'), kept('GET /orders?page=1')]),
    scenario('older', [order, kept('GET /orders/ord-1234', { status: 404 })]),
    scenario('oldest', [kept('GET /orders?page=7'), kept('GET /orders?page=8')]),
    scenario('gone', [kept('GET /orders?page=9')]),
  ];
  const left = thinScenarios(scenarios, 2).map(({ id, requests }) => [
    id,
    requests.map(({ path }) => path),
  ]);
  expect(left).toEqual([
    ['new', ['/orders', '/orders/ord-1234', '/orders/7']],
    ['old', ['/orders?page=1']],
    ['older', ['/orders', '/orders/ord-1234']],
    ['oldest', ['/orders?page=7']],
  ]);
  const shapes = ['{"a":1}', '{"a":2}', '{"a":"1"}', 'a=1'].map((body) =>
    kept('POST /x', { body }),
  );
  expect(thinScenarios([scenario('one', shapes)], 1)[0]?.requests).toHaveLength(3);
});

describe('the store of recorded traffic', () => {
  const inStore = async (work: (store: RecordedStore, file: string) => Promise<void>) => {
    const directory = mkdtempSync(join(tmpdir(), 'traffic-'));
    const file = join(directory, 'traffic', 'recorded.jsonl');
    await work(new RecordedStore(file), file);
    rmSync(directory, { recursive: true });
  };
  const dayMs = 86_400_000;

  test('is a private file that another process of Surety can read', () =>
    inStore(async (store, file) => {
      await store.add([scenario('a', [kept('GET /a')])], rules, 1);
      await store.add([scenario('b', [kept('GET /b')])], rules, 1);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect((await new RecordedStore(file).list()).map(({ id }) => id)).toEqual(['b', 'a']);
      expect(await store.clear()).toBe(2);
      expect(await new RecordedStore(file).list()).toEqual([]);
    }));

  test('keeps scenarios up to limits of age, number and size', () =>
    inStore(async (store) => {
      const longest = { ...rules, keepDays: systemLimits.recordedDaysMax };
      const lastMs = longest.keepDays * dayMs;
      await store.add([scenario('a', [kept('GET /a')], 0)], longest, lastMs);
      expect(await store.list()).toHaveLength(1);
      await store.add([], longest, lastMs + 1);
      expect(await store.list()).toEqual([]);
      const many = Array.from({ length: verifyLimits.recordedScenariosMax + 1 }, (_, n) =>
        scenario(`s${n}`, [kept('GET /', { status: 200 + n })]),
      );
      await store.add(many, rules, 1);
      expect(await store.list()).toHaveLength(verifyLimits.recordedScenariosMax);
      const body = `"${'x'.repeat(sharedLimits.recordedBodyBytesMax)}"`;
      const large = Array.from({ length: verifyLimits.recordedScenariosMax }, (_, n) =>
        scenario(
          `l${n}`,
          [1, 2].map((part) => kept('POST /', { body, status: 200 + 2 * n + part })),
        ),
      );
      await store.add(large, rules, 1);
      const lines = (await store.list()).map((one) => `${JSON.stringify(one)}\n`);
      const bytes = Buffer.byteLength(lines.join(''));
      expect(bytes).toBeLessThanOrEqual(verifyLimits.recordedBytesMax);
      expect(verifyLimits.recordedBytesMax - bytes).toBeLessThan(3 * body.length);
    }));

  test('gets traffic only if surety.yaml allows it, until recording is stopped', () =>
    inStore(async (store) => {
      const fetches: number[] = [];
      let now = 0;
      const deps = {
        store,
        clock: { now: () => now, keepAfter: () => undefined, aheadMs: () => 0 },
        makeIdentifier: (prefix: string) => `${prefix}_${fetches.length}` as never,
        fetch: async (perMille: number) => {
          fetches.push(perMille);
          return perMille > 0 ? [raw('GET /a', { at: now })] : [];
        },
      };
      const forbidden = new Recorder({ ...deps, rules: undefined });
      await forbidden.look();
      expect(await forbidden.list()).toEqual([]);
      await expect(forbidden.turn(true)).rejects.toMatchObject({ code: 'TRAFFIC_NOT_RECORDED' });
      expect(fetches).toEqual([]);

      const recorder = new Recorder({ ...deps, rules });
      now = 5_000;
      await recorder.look();
      await recorder.look();
      expect(fetches).toEqual([1_000]);
      expect(await recorder.list()).toHaveLength(1);
      await recorder.turn(false);
      expect([recorder.isOn, fetches.at(-1)]).toEqual([false, 0]);
      now = 50_000;
      await recorder.look();
      expect(fetches.at(-1)).toBe(0);
      await recorder.turn(true);
      expect([recorder.isOn, fetches.at(-1)]).toEqual([true, 1_000]);
    }));
});
