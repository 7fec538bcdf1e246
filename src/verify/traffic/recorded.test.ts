import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Json, sharedLimits } from '../../kernel/index.ts';
import type { RawRequest } from '../../lanes/index.ts';
import { systemLimits } from '../../system/limits.ts';
import { verifyLimits } from '../limits.ts';
import type { RecordedRequest, RecordedScenario, RecordingRules } from './api-schema.ts';
import { RecordedStore } from './recorded-store.ts';
import { Recorder } from './recorder.ts';
import { redactRequest } from './redact-request.ts';
import { chooseReplay, onlyRecorded, sendScenario } from './replay.ts';
import { recordSession, Sessions } from './sessions.ts';
import { thin } from './thin.ts';

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
const kept = (line: string, more: Partial<RecordedRequest> = {}): RecordedRequest => {
  const [method = '', path = ''] = line.split(' ');
  const known = { method, path, headers: [], credentials: [], withheld: [], status: 200 };
  return { ...known, body: null, answer: null, ...more };
};
const token = 'tok_9d8c7b6a5f4e';

describe('nothing is kept that lets anybody in', () => {
  const cases: [string, RawRequest, Partial<RecordedRequest>][] = [
    [
      'headers by which a client proves itself',
      raw('GET /me', {
        headers: ['Authorization', `Bearer ${token}`, 'Cookie', 'sid=12', 'X-Csrf-Token', 'abc'],
      }),
      { credentials: ['authorization', 'cookie', 'x-csrf-token'], headers: [], withheld: [] },
    ],
    [
      'other headers that nobody allowed',
      raw('GET /me', { headers: ['User-Agent', 'x', 'X-Tenant', 'acme', 'Accept', '*/*'] }),
      {
        headers: [
          ['x-tenant', 'acme'],
          ['accept', '*/*'],
        ],
      },
    ],
    [
      'a field that is called a secret',
      raw('POST /login', { said: { user: 'ada', password: 'hunter2' } }),
      { body: '{"user":"ada","password":"[redacted]"}', withheld: ['password'] },
    ],
    [
      'deep in a body',
      raw('POST /cards', { said: { list: [{ apiKey: { a: 'x' } }] } }),
      { body: '{"list":[{"apiKey":"[redacted]"}]}', withheld: ['apiKey'] },
    ],
    [
      'a query',
      raw('GET /hooks?a=1&access_token=hunter2'),
      { path: '/hooks?a=1&access_token=%5Bredacted%5D', withheld: ['access_token'] },
    ],
    [
      'a query of a link that lets one in',
      raw('GET /reset?token=hunter2&page=2'),
      { path: '/reset?token=%5Bredacted%5D&page=2', withheld: ['token'] },
    ],
    [
      'numbers, and all that is in a field of this name',
      raw('POST /confirm', { said: { otp: 424_242, reset_token: { is: ['hunter2'] } } }),
      { body: '{"otp":"[redacted]","reset_token":"[redacted]"}', withheld: ['otp', 'reset_token'] },
    ],
    [
      'a form',
      raw('POST /login', { headers: form, body: base64('user=ada&password=hunter%202') }),
      { body: 'user=ada&password=%5Bredacted%5D', withheld: ['password'] },
    ],
    [
      'a text of a form that secrets have',
      raw('POST /notes', { said: { note: `see sk_live_${'a'.repeat(20)}` } }),
      { body: '{"note":"see [redacted api-key]"}', withheld: ['note'] },
    ],
    [
      'what it proves itself with, wherever else it says it',
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
  test.each(cases)('%s', (_, request, expected) => {
    const redacted = redactRequest(request, rules);
    expect(redacted).toMatchObject(expected);
    expect(JSON.stringify(redacted)).not.toMatch(/hunter|tok_9d|sk_live_a/);
  });

  test('names of cookies are not taken for what they hold, nor words for keys', () => {
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
    const telling = raw('POST /a', { headers, body: base64(JSON.stringify(said)) });
    expect(redactRequest(telling, rules)).toMatchObject({
      body: '{"elephants":["[redacted]"],"note":"[redacted]","by [redacted]":1}',
    });
  });

  test('a stand-in takes the place of what must not be kept, and it can be sent again', () => {
    const said = { email: 'ada@example.org', people: [{ age: 71, name: null }] };
    const redacted = redactRequest(raw('POST /people?email=ada%40x.org', { said }), rules);
    expect(redacted).toMatchObject({ withheld: [], path: '/people?email=someone%40example.com' });
    expect(JSON.parse(redacted?.body ?? '')).toEqual({
      email: 'someone@example.com',
      people: [{ age: 30, name: null }],
    });
  });

  test('what is harmless stays as it was written', () => {
    const body = '{ "big": 12345678901234567890, "a":1.0 }';
    const request = raw('POST /n', { headers: json, body: base64(body) });
    expect(redactRequest(request, rules)).toMatchObject({ body, withheld: [] });
  });

  test('a body that nobody can read is not kept at all', () => {
    const body = Buffer.from([0xff, 0, 1]).toString('base64');
    expect(redactRequest(raw('POST /upload', { body }), rules)).toBeNull();
  });
});

describe('what one client asks is one scenario', () => {
  const paths = (sessions: readonly (readonly RawRequest[])[]) =>
    sessions.map((session) => session.map(({ path }) => path));

  test('by who it is or by its trace, until it is silent', () => {
    const sessions = new Sessions();
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

  test('up to so many requests', () => {
    const sessions = new Sessions();
    const length = verifyLimits.recordedScenarioRequestsMax + 1;
    const many = Array.from({ length }, () => raw('GET /'));
    expect(sessions.add(many).map(({ length }) => length)).toEqual([many.length - 1]);
    expect(paths(sessions.end())).toEqual([['/']]);
  });

  test('up to so many bytes of all that are open: the oldest are over first', () => {
    const sessions = new Sessions();
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

  test('of whose answers only ids are kept that later requests have', () => {
    const answer = base64(JSON.stringify({ order: { id: 'ord-7001' }, card: 'visa-4242-4242' }));
    const session = [
      raw('POST /orders', { said: { sku: 'a' }, answer, status: 201 }),
      raw('GET /orders/ord-7001', { answer }),
      raw('OPTIONS /orders'),
      raw('GET /chat', { status: 101 }),
      raw('GET /gone', { status: 0 }),
    ];
    const recorded = recordSession(session, 'traffic_1', rules);
    expect(recorded?.requests.map(({ answer: told }) => told)).toEqual([
      { order: { id: 'ord-7001' } },
      null,
    ]);
    expect(recordSession([raw('OPTIONS /')], 'traffic_2', rules)).toBeNull();
  });
});

const scenario = (id: string, requests: readonly RecordedRequest[], at = 1): RecordedScenario => ({
  id,
  at,
  requests,
});

test('of each route and shape the newest are kept, with what they need', () => {
  const order = kept('POST /orders', { answer: { id: 'ord-1234' } });
  const scenarios = [
    scenario('new', [order, kept('GET /orders/ord-1234'), kept('GET /orders/7')]),
    scenario('old', [kept('GET /orders/8'), kept('GET /orders?page=1')]),
    scenario('older', [order, kept('GET /orders/ord-1234', { status: 404 })]),
    scenario('oldest', [kept('GET /orders?page=7'), kept('GET /orders?page=8')]),
    scenario('gone', [kept('GET /orders?page=9')]),
  ];
  const left = thin(scenarios, 2).map(({ id, requests }) => [id, requests.map(({ path }) => path)]);
  expect(left).toEqual([
    ['new', ['/orders', '/orders/ord-1234', '/orders/7']],
    ['old', ['/orders?page=1']],
    ['older', ['/orders', '/orders/ord-1234']],
    ['oldest', ['/orders?page=7']],
  ]);
  const shapes = ['{"a":1}', '{"a":2}', '{"a":"1"}', 'a=1'].map((body) =>
    kept('POST /x', { body }),
  );
  expect(thin([scenario('one', shapes)], 1)[0]?.requests).toHaveLength(3);
});

describe('what is recorded lies in one private file', () => {
  const inStore = async (work: (store: RecordedStore, file: string) => Promise<void>) => {
    const directory = mkdtempSync(join(tmpdir(), 'traffic-'));
    const file = join(directory, 'traffic', 'recorded.jsonl');
    await work(new RecordedStore(file), file);
    rmSync(directory, { recursive: true });
  };
  const dayMs = 86_400_000;

  test('which another process reads, and nobody else', () =>
    inStore(async (store, file) => {
      await store.add([scenario('a', [kept('GET /a')])], rules, 1);
      await store.add([scenario('b', [kept('GET /b')])], rules, 1);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect((await new RecordedStore(file).list()).map(({ id }) => id)).toEqual(['b', 'a']);
      expect(await store.clear()).toBe(2);
      expect(await new RecordedStore(file).list()).toEqual([]);
    }));

  test('only so long, so many, and so large', () =>
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

  test('and only where surety.yaml allows it, until somebody stops it', () =>
    inStore(async (store) => {
      const asked: number[] = [];
      let now = 0;
      const deps = {
        store,
        clock: { now: () => now, keepAfter: () => undefined },
        makeIdentifier: (prefix: string) => `${prefix}_${asked.length}` as never,
        fetch: async (perMille: number) => {
          asked.push(perMille);
          return perMille > 0 ? [raw('GET /a', { at: now })] : [];
        },
      };
      const forbidden = new Recorder({ ...deps, rules: undefined });
      await forbidden.look();
      expect(await forbidden.list()).toEqual([]);
      await expect(forbidden.turn(true)).rejects.toMatchObject({ code: 'TRAFFIC_NOT_RECORDED' });
      expect(asked).toEqual([]);

      const recorder = new Recorder({ ...deps, rules });
      now = 5_000;
      await recorder.look();
      await recorder.look();
      expect(asked).toEqual([1_000]);
      expect(await recorder.list()).toHaveLength(1);
      await recorder.turn(false);
      expect([recorder.isOn, asked.at(-1)]).toEqual([false, 0]);
      now = 50_000;
      await recorder.look();
      expect(asked.at(-1)).toBe(0);
      await recorder.turn(true);
      expect([recorder.isOn, asked.at(-1)]).toEqual([true, 1_000]);
    }));
});

describe('recorded requests are sent again', () => {
  const suites = [
    {
      name: 'flow',
      requests: [
        { ...asked('GET /bad'), headers: [['authorization', 'Bearer bad'] as const], status: 401 },
        { ...asked('GET /me'), headers: [['authorization', 'Bearer suite'] as const] },
        { ...asked('GET /it'), headers: [['authorization', 'Bearer later'] as const] },
      ],
    },
  ];
  function asked(line: string) {
    const [method = '', path = ''] = line.split(' ');
    return { method, path, headers: [], body: null, status: 200, answer: null };
  }
  const isSafe = ({ method }: { method: string }) => method === 'GET';
  const choose = (requests: readonly RecordedRequest[], credentials = {}) =>
    chooseReplay({ scenarios: [scenario('s', requests)], credentials }, { suites, isSafe });

  test('with a credential of the configuration, else with one that suites got in with', () => {
    const request = kept('GET /orders', { credentials: ['authorization'] });
    const sent = (credentials = {}) =>
      choose([request], credentials).scenarios[0]?.requests[0]?.headers;
    expect(sent({ authorization: 'Bearer named' })).toEqual([['authorization', 'Bearer named']]);
    expect(sent()).toEqual([['authorization', 'Bearer suite']]);
  });

  test('or it is said why not', () => {
    const { scenarios, remarks } = choose([
      kept('GET /ok'),
      kept('POST /orders/7'),
      kept('GET /keys', { credentials: ['x-api-key'] }),
      kept('GET /login', { withheld: ['password'] }),
    ]);
    expect(scenarios.flatMap(({ requests }) => requests.map(({ path }) => path))).toEqual(['/ok']);
    expect(remarks).toEqual([
      'recorded traffic: 1 requests of 1 clients sent',
      'recorded traffic not sent: POST /orders/(id) (it is not declared safe to repeat), ' +
        'GET /keys (it needs x-api-key; traffic.credentials can name one), GET /login ' +
        '(a secret in password was not kept; traffic.record.replace can name a stand-in)',
    ]);
    expect(choose([]).remarks).toEqual([]);
  });

  test('up to a number of them', () => {
    const many = (count: number) => Array.from({ length: count }, () => kept('GET /a'));
    const { scenarios, remarks } = choose(many(verifyLimits.recordedReplayMax + 1));
    expect(scenarios[0]?.requests).toHaveLength(verifyLimits.recordedReplayMax);
    expect(remarks[1]).toContain('GET /a (enough others are sent)');
    expect(choose(many(verifyLimits.recordedReplayMax)).remarks).toHaveLength(1);
  });

  test('in their order, with the ids that answers bring now', async () => {
    const requests = [
      { ...asked('POST /orders'), answer: { id: 'ord-1234' } },
      asked('GET /orders/ord-1234'),
    ];
    const sent: string[] = [];
    const send = async ({ path }: { path: string }) => {
      sent.push(path);
      return { status: 200, ms: 1, body: { id: 'ord-9999' } };
    };
    const last = await sendScenario({ name: 's', requests }, { send }, () => `r${sent.length}`);
    expect(sent).toEqual(['/orders', '/orders/ord-9999']);
    expect(last).toBe('r1');
  });

  test('and measured where no suite asks the same', () => {
    const replayed = ['GET /me', 'GET /other'].map((line) => ({
      name: line,
      requests: [asked(line)],
    }));
    expect(onlyRecorded(replayed, suites).map(({ name }) => name)).toEqual(['GET /other']);
    const long = { name: 'long', requests: Array.from({ length: 21 }, () => asked('GET /x')) };
    expect(onlyRecorded([long], suites)).toEqual([]);
  });
});
