import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import type { Difference } from './difference.ts';
import { findDifferences } from './find-differences.ts';
import { against, answer, hop, recording, request } from './recorded.fixture.ts';
import type { Answer, Recording, Recordings } from './recording.ts';

const pricing = { to: 'pricing', path: '/quotes' };
const fees = { to: 'fees', path: '/fees' };
const flags = { to: 'flags', path: '/flags/free-fees', method: 'GET' };

const threeTrades = (calls: readonly Partial<Hop>[] = [pricing, fees]): Hop[] =>
  [1, 2, 3].flatMap(() => request(calls));

const findIn = (known: () => Recording, candidate: Recording, changed = ['orders']): Difference[] =>
  findDifferences(against(known, candidate), changed);

const names = (differences: readonly Difference[]): string[] =>
  differences.map(
    ({ class: kind, what, service, severity }) => `${severity}: ${kind} ${what} by ${service}`,
  );

describe('calls', () => {
  test.each<[string, Partial<Hop>[], string[]]>([
    ['are the same', [pricing, fees], []],
    [
      'are made again and again',
      [pricing, ...Array(6).fill(fees)],
      ['fail: calls effect-repeated by orders'],
    ],
    [
      'ask for one thing after the other',
      [pricing, fees, ...[1, 2, 3].map((n) => ({ ...fees, path: `/fees/${n}`, method: 'GET' }))],
      ['fail: calls call-new by orders'],
    ],
    [
      'are tried again after they failed',
      [pricing, { ...fees, status: 503 }, { ...fees, status: 503 }, fees],
      ['fail: calls call-retried by orders', 'fail: status status-worse by fees'],
    ],
    ['are left out', [fees], ['fail: calls call-missing by orders']],
    [
      'are new and do something',
      [pricing, fees, { to: 'ledger', path: '/entries' }],
      ['fail: calls call-new by orders'],
    ],
    ['are new and only ask', [pricing, fees, flags], ['notice: calls call-new by orders']],
    ['come in another order', [fees, pricing], ['notice: calls call-reordered by orders']],
  ])('that %s', (_, calls, expected) => {
    const found = findIn(() => recording(threeTrades()), recording(threeTrades(calls)));
    expect(names(found)).toEqual(expected);
  });

  test('that some requests no longer lead to are told, if they do something', () => {
    const some = [...request([pricing]), ...request([pricing, fees]), ...request([pricing, fees])];
    const found = findIn(() => recording(threeTrades()), recording(some));
    expect(names(found)).toEqual(['notice: calls call-missing by orders']);
    expect(found[0]).toMatchObject({ before: '1 times', after: 'fewer for 1 of 3' });
    const asked = [...request([]), ...request([flags]), ...request([flags])];
    expect(findIn(() => recording(threeTrades([flags])), recording(asked))).toEqual([]);
  });

  test('for every item, where there was one for all, are named with their counts', () => {
    const one = { ...flags, path: '/flags' };
    const found = findIn(
      () => recording(threeTrades([one])),
      recording(threeTrades(Array(9).fill(one))),
    );
    expect(found).toMatchObject([
      {
        what: 'call-repeated',
        hop: 'orders → flags GET /flags',
        before: '1 times',
        after: '9 times',
      },
    ]);
  });

  test('whose number varies by itself are no difference', () => {
    const varying = () => recording([...request([pricing]), ...request([pricing, pricing])]);
    expect(findIn(varying, varying())).toEqual([]);
    const sometimes = () => recording([...request([fees, pricing]), ...request([pricing])]);
    expect(findIn(sometimes, recording(request([pricing])))).toEqual([]);
  });
});

describe('answers', () => {
  const known = () => recording([1, 2, 3].map(() => hop({ responseBody: { ok: true } })));

  test.each<[string, number, string[]]>([
    ['an error where none was', 500, ['fail: status status-worse by validation']],
    ['no answer at all', 0, ['fail: status status-worse by validation']],
    [
      'another way of saying that it went well',
      204,
      ['notice: status status-changed by validation'],
    ],
  ])('%s', (_, status, expected) => {
    const found = findIn(known, recording([hop(), hop(), hop({ status })]));
    expect(names(found)).toEqual(expected);
    expect(found[0]?.after).toContain('in 1 of 3');
  });

  test('more of the same failures for the same requests', () => {
    const of = (...statuses: number[]) => recording(statuses.map((status) => hop({ status })));
    const one = () => of(404, 200, 200, 200);
    const found = findIn(one, of(404, 404, 404, 200));
    expect(names(found)).toEqual(['fail: status status-worse by validation']);
    expect(found[0]).toMatchObject({ before: '4xx in 1 of 4', after: '4xx in 3 of 4' });
    // Fewer, as many, or of another number of requests: nothing is known to be worse.
    expect(findIn(one, of(200, 200, 200, 404))).toEqual([]);
    expect(findIn(one, of(404, 404, 200, 200, 200))).toEqual([]);
  });

  test('failures that come and go by themselves are no difference', () => {
    const of = (...statuses: number[]) => recording(statuses.map((status) => hop({ status })));
    const recordings = { baseline: of(404, 404, 200), control: of(404, 200, 200) };
    const candidate = of(404, 404, 404);
    expect(findDifferences({ ...recordings, candidate }, ['validation'])).toEqual([]);
  });

  test("an error that a request asked for is nobody's, and hides none of the service's own", () => {
    const struck = { injected: 'status=503', answered: false, status: 503 };
    const known = () => recording([hop(), hop(struck)]);
    expect(findIn(known, recording([hop(), hop(struck)]))).toEqual([]);
    const found = findIn(known, recording([hop(), hop({ status: 503 }), hop(struck)]));
    expect(names(found)).toEqual(['fail: status status-worse by validation']);
  });

  test('a request under a fault is compared with those under the same', () => {
    const struck = { faults: 'validation>fraud:reset', status: 502 };
    const known = () => recording([hop(), hop(struck)]);
    expect(findIn(known, recording([hop(), hop(struck)]))).toEqual([]);
    const found = findIn(known, recording([hop({ status: 502 }), hop(struck)]));
    expect(names(found)).toEqual(['fail: status status-worse by validation']);
  });

  test('that are no longer refused', () => {
    const refused = () => recording([hop({ status: 401 }), hop(), hop()]);
    expect(names(findIn(refused, recording([hop(), hop(), hop()])))).toEqual([
      'fail: security refusal-lost by validation',
    ]);
    expect(findIn(refused, refused())).toEqual([]);
  });

  test('whose refusals come and go by themselves are no difference', () => {
    const [baseline, control] = [401, 200].map((status) => recording([hop({ status }), hop()]));
    const recordings = { baseline, control, candidate: recording([hop(), hop()]) };
    expect(findDifferences(recordings as Recordings, ['orders'])).toEqual([]);
  });
});

describe('errors in logs', () => {
  const line = (service: string, level: string, message: string) => ({
    service,
    text: JSON.stringify({ level, message }),
  });
  const withLogs = (...logs: { service: string; text: string }[]) => recording([], { logs });
  const known = () =>
    withLogs(
      line('orders', 'error', 'order ord_1f3a9c1 of 12 failed'),
      line('orders', 'info', 'ready'),
      { service: 'fees', text: 'listening on 4306' },
    );

  test.each<[string, Recording, string[]]>([
    [
      'of the same kind are none',
      withLogs(line('orders', 'error', 'order ord_77aa001 of 3 failed')),
      [],
    ],
    [
      'of a service that nobody changed',
      withLogs(line('validation', 'error', 'amount is no number')),
      ['fail: error error-new by validation'],
    ],
    [
      'that are no JSON',
      withLogs({ service: 'fees', text: 'Traceback (most recent call last):' }),
      ['fail: error error-new by fees'],
    ],
    [
      'in other words are only told',
      withLogs(line('orders', 'error', 'could not take the order')),
      ['notice: error error-rephrased by orders'],
    ],
    [
      'that are only words of an info line are none',
      withLogs(line('orders', 'info', 'no error')),
      [],
    ],
    [
      'that there are not are none, in whatever form they are not told',
      withLogs(
        { service: 'fees', text: 'asked flags without error' },
        { service: 'fees', text: 'error rate 0.0 after 12 requests' },
      ),
      [],
    ],
  ])('%s', (_, candidate, expected) => {
    expect(names(findIn(known, candidate))).toEqual(expected);
  });
});

describe('writes', () => {
  const write = (row: object) =>
    ({
      service: 'payments',
      store: 'db',
      table: 'charges',
      kind: 'insert',
      row: { ...row },
    }) as const;
  const rows = (...all: object[]) => recording([], { writes: all.map(write) });
  const known = () => rows({ cents: 100 }, { cents: 250 });

  test.each<[string, Recording, string[]]>([
    ['the same', rows({ cents: 100 }, { cents: 250 }), []],
    [
      'twice',
      rows({ cents: 100 }, { cents: 100 }, { cents: 250 }),
      ['fail: writes write-repeated by payments'],
    ],
    ['never', rows(), ['fail: writes write-missing by payments']],
    [
      'as texts',
      rows({ cents: '100' }, { cents: '250' }),
      ['fail: writes type-changed by payments'],
    ],
    [
      'in another unit',
      rows({ cents: 1 }, { cents: 2.5 }),
      ['fail: writes scale-changed by payments'],
    ],
  ])('%s', (_, candidate, expected) => {
    expect(names(findIn(known, candidate))).toEqual(expected);
  });

  test('whose number varies by itself are no difference', () => {
    const recordings = {
      baseline: known(),
      control: rows({ cents: 100 }),
      candidate: rows({ cents: 250 }),
    };
    expect(findDifferences(recordings, ['payments'])).toEqual([]);
  });
});

describe('security', () => {
  const answers = (...all: Partial<Answer>[]) => recording([], { answers: all.map(answer) });
  const good = () => answers({}, { hasCredentials: false, status: 401 });

  test.each<[string, Recording, string]>([
    ['a route that answers without credentials', answers({}, { hasCredentials: false }), '200'],
    ['an old protocol', answers({ tls: 'TLSv1.1' }), 'speaks TLSv1.1'],
    ['plain text', answers({ tls: null }), 'answers in plain text'],
    [
      'a cookie for scripts',
      answers({
        headers: { ...answer().headers, 'set-cookie': ['session=1; Secure; SameSite=Lax'] },
      }),
      'cookie session without HttpOnly',
    ],
    [
      'every origin',
      answers({ headers: { ...answer().headers, 'access-control-allow-origin': ['*'] } }),
      'is open to every origin',
    ],
    [
      'a guard less',
      answers({ headers: { ...answer().headers, 'content-security-policy': [] } }),
      'has no content-security-policy',
    ],
    [
      'a script of others',
      answers({ body: '<script src="https://cdn.example/a.js"></script>' }),
      'runs https://cdn.example/a.js without integrity',
    ],
    [
      'a stack trace',
      answers({ body: '{"error":"x\\n    at pay (/app/pay.ts:3:7)"}' }),
      'a stack trace in the answer',
    ],
    [
      'a secret',
      answers({ body: '{"url":"postgres://app:hunter2@db/trading"}' }),
      'a secret (url-password) in the answer',
    ],
  ])('sees %s', (_, candidate, after) => {
    const found = findIn(good, candidate);
    expect(found).toMatchObject([{ class: 'security', severity: 'fail', service: 'edge', after }]);
  });

  test('sees what guards less of what suites get, whatever others get', () => {
    const login = answer({ method: 'POST', path: '/login' });
    const refused = answer({ status: 401, headers: {} });
    const served = (...some: Answer[]) => recording([], { served: some, answers: [refused] });
    const bare = answer({ headers: { ...answer().headers, 'content-security-policy': [] } });
    const cookie = { ...login.headers, 'set-cookie': ['session=; HttpOnly; SameSite=Lax'] };
    const known = () => served(login, answer(), refused);
    const found = findIn(known, served({ ...login, headers: cookie }, bare, refused));
    expect(found.map(({ after }) => after)).toEqual([
      'has no content-security-policy',
      'cookie session without Secure',
    ]);
    expect(findIn(known, known())).toEqual([]);
  });

  test('sees nothing where nothing changed', () => {
    expect(findIn(good, good())).toEqual([]);
  });

  test.each([
    ['/internal/flags', 'fail'],
    ['/reports', 'notice'],
  ])('a route %s that was not there is a %s', (path, severity) => {
    const found = findIn(() => answers({ path, status: 404 }), answers({ path }));
    expect(found).toMatchObject([{ what: 'route-exposed', severity }]);
  });

  test.each([
    ['{"STRIPE":"4eC39HqL","REGION":"eu"}', { fields: ['STRIPE', 'REGION'] }],
    ['STRIPE=4eC39HqL', '15 characters'],
  ])('of what a route exposes no value is told: %s', (body, after) => {
    const path = '/env';
    const found = findIn(() => answers({ path, status: 404 }), answers({ path, body }));
    expect(found).toMatchObject([{ what: 'route-exposed', examples: { after } }]);
  });

  test('sees secrets in answers between services and in logs, and stack traces only in answers', () => {
    const told = (responseBody: Hop['responseBody'], text: string) =>
      recording([hop({ responseBody })], { logs: [{ service: 'orders', text }] });
    const known = () => told({ ok: true }, 'all is well');
    const found = findIn(
      known,
      told({ ok: true, trace: 'at a (/b.ts:1:2)' }, 'token eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl'),
    );
    expect(found.filter(({ class: kind }) => kind === 'security')).toMatchObject([
      { service: 'orders', place: 'the log', after: 'a secret (jwt)' },
      { place: 'the answer of pricing → validation POST /validations', after: 'a stack trace' },
    ]);
    expect(findIn(known, told({ ok: true }, '    at a (/b.ts:1:2)'))).toEqual([]);
  });

  test('sees a port that is open now, also to others', () => {
    const listening = (address: string, ...ports: number[]) =>
      recording([], { listeners: ports.map((port) => ({ service: 'orders', address, port })) });
    const known = () => listening('127.0.0.1', 4301);
    expect(findIn(known, listening('127.0.0.1', 4301, 9229))).toMatchObject([
      { place: 'port 9229' },
    ]);
    expect(findIn(known, listening('0.0.0.0', 4301))).toMatchObject([{ after: 'open on 0.0.0.0' }]);
    expect(findIn(known, known())).toEqual([]);
    expect(findIn(() => recording([]), listening('127.0.0.1', 4301))).toEqual([]);
  });
});

describe('the first difference is the cause', () => {
  /** A trade goes through orders and pricing to validation. */
  const trade = (amount: number | string, flagged: boolean, status = 200): Hop[] => {
    const [root, call] = request([{ ...pricing, responseBody: { flagged } }]) as [Hop, Hop];
    const { requestId } = root;
    return [root, call, hop({ requestId, requestBody: { amount }, status })];
  };
  const known = () => recording([...trade(1, true), ...trade(2, true)]);

  test('what a changed service says wrongly, before what others answer to it', () => {
    const broken = recording([...trade('1', true, 500), ...trade('2', true, 500)]);
    const found = findIn(known, broken, ['pricing']);
    expect(names(found)).toEqual([
      'fail: contract type-changed by pricing',
      'fail: status status-worse by validation',
    ]);
  });

  test('of a changed service the deepest call first', () => {
    const hops = [...trade('1', true), ...trade('2', true)].map((one) =>
      one.to === 'pricing' ? { ...one, responseBody: { flagged: 'yes' } } : one,
    );
    expect(findIn(known, recording(hops), ['pricing']).map((one) => one.hop)).toEqual([
      'pricing → validation POST /validations',
      'orders → pricing POST /quotes',
    ]);
  });
});
