import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import type { Difference } from './difference.ts';
import { findDifferences } from './find-differences.ts';
import { against, answer, hop, recording, request } from './recorded.fixture.ts';
import type { OutsideAnswer, VersionRecording } from './recording.ts';

const pricing = { to: 'pricing', path: '/quotes' };
const fees = { to: 'fees', path: '/fees' };
const flags = { to: 'flags', path: '/flags/free-fees', method: 'GET' };

const threeTrades = (calls: readonly Partial<Hop>[] = [pricing, fees]): Hop[] =>
  [1, 2, 3].flatMap(() => request(calls));

const findIn = (
  known: () => VersionRecording,
  candidate: VersionRecording,
  changed = ['orders'],
): Difference[] => findDifferences(against(known, candidate), changed);

const names = (differences: readonly Difference[]): string[] =>
  differences.map(
    ({ class: kind, what, service, severity }) => `${severity}: ${kind} ${what} by ${service}`,
  );

describe('calls', () => {
  test.each<[string, Partial<Hop>[], string[]]>([
    ['did not change are no difference', [pricing, fees], []],
    ['are repeated', [pricing, ...Array(6).fill(fees)], ['fail: calls effect-repeated by orders']],
    [
      'read one item after the other',
      [pricing, fees, ...[1, 2, 3].map((n) => ({ ...fees, path: `/fees/${n}`, method: 'GET' }))],
      ['fail: calls call-new by orders'],
    ],
    [
      'are retried after a failure',
      [pricing, { ...fees, status: 503 }, { ...fees, status: 503 }, fees],
      ['fail: calls call-retried by orders', 'fail: status status-worse by fees'],
    ],
    ['are missing', [fees], ['fail: calls call-missing by orders']],
    [
      'are new and have an effect',
      [pricing, fees, { to: 'ledger', path: '/entries' }],
      ['fail: calls call-new by orders'],
    ],
    ['are new and only read', [pricing, fees, flags], ['notice: calls call-new by orders']],
    ['come in another order', [fees, pricing], ['notice: calls call-reordered by orders']],
  ])('that %s', (_, calls, expected) => {
    const found = findIn(() => recording(threeTrades()), recording(threeTrades(calls)));
    expect(names(found)).toEqual(expected);
  });

  test('that some requests no longer make are a notice, if they have an effect', () => {
    const some = [...request([pricing]), ...request([pricing, fees]), ...request([pricing, fees])];
    const found = findIn(() => recording(threeTrades()), recording(some));
    expect(names(found)).toEqual(['notice: calls call-missing by orders']);
    expect(found[0]).toMatchObject({ before: '1 times', after: 'fewer for 1 of 3' });
    const asked = [...request([]), ...request([flags]), ...request([flags])];
    expect(findIn(() => recording(threeTrades([flags])), recording(asked))).toEqual([]);
  });

  test('for every item, instead of one for all, are a difference with counts', () => {
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

  test('whose number varies on the baseline are no difference', () => {
    const varying = () => recording([...request([pricing]), ...request([pricing, pricing])]);
    expect(findIn(varying, varying())).toEqual([]);
    const sometimes = () => recording([...request([fees, pricing]), ...request([pricing])]);
    expect(findIn(sometimes, recording(request([pricing])))).toEqual([]);
  });
});

describe('answers with', () => {
  const known = () => recording([1, 2, 3].map(() => hop({ responseBody: { ok: true } })));

  test.each<[string, number, string[]]>([
    ['a new error', 500, ['fail: status status-worse by validation']],
    ['no answer at all', 0, ['fail: status status-worse by validation']],
    ['another success status', 204, ['notice: status status-changed by validation']],
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
    expect(found[0]).toMatchObject({
      before: '200 in 3, 404 in 1 of 4',
      after: '200 in 1, 404 in 3 of 4',
    });
    // Not worse with fewer failures, or with another number of requests.
    expect(findIn(one, of(200, 200, 200, 404))).toEqual([]);
    expect(findIn(one, of(404, 404, 200, 200, 200))).toEqual([]);
  });

  test('failures that vary on the baseline are no difference', () => {
    const of = (...statuses: number[]) => recording(statuses.map((status) => hop({ status })));
    const recordings = { baseline: of(404, 404, 200), control: of(404, 200, 200) };
    const candidate = of(404, 404, 404);
    expect(findDifferences({ ...recordings, candidate }, ['validation'])).toEqual([]);
  });

  test('an injected error are no difference, and it hides no error of the service', () => {
    const struck = { injected: 'status=503', answered: false, status: 503 };
    const known = () => recording([hop(), hop(struck)]);
    expect(findIn(known, recording([hop(), hop(struck)]))).toEqual([]);
    const found = findIn(known, recording([hop(), hop({ status: 503 }), hop(struck)]));
    expect(names(found)).toEqual(['fail: status status-worse by validation']);
  });

  test('an injected fault are compared with those under the same fault', () => {
    const struck = { faults: 'validation>fraud:reset', status: 502 };
    const known = () => recording([hop(), hop(struck)]);
    expect(findIn(known, recording([hop(), hop(struck)]))).toEqual([]);
    const found = findIn(known, recording([hop({ status: 502 }), hop(struck)]));
    expect(names(found)).toEqual(['fail: status status-worse by validation']);
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

  test.each<[string, VersionRecording, string[]]>([
    [
      'of a known kind are no difference',
      withLogs(line('orders', 'error', 'order ord_77aa001 of 3 failed')),
      [],
    ],
    [
      'of an unchanged service are a difference',
      withLogs(line('validation', 'error', 'amount is no number')),
      ['fail: error error-new by validation'],
    ],
    [
      'in plain text are a difference',
      withLogs({ service: 'fees', text: 'Traceback (most recent call last):' }),
      ['fail: error error-new by fees'],
    ],
    [
      'in other words are a notice',
      withLogs(line('orders', 'error', 'could not take the order')),
      ['notice: error error-rephrased by orders'],
    ],
    [
      'that an info line mentions are no difference',
      withLogs(line('orders', 'info', 'no error')),
      [],
    ],
    [
      'that a line denies are no difference',
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

describe('rows are written', () => {
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

  test.each<[string, VersionRecording, string[]]>([
    ['as on the baseline', rows({ cents: 100 }, { cents: 250 }), []],
    [
      'more often',
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

  test('in a number that varies on the baseline, which is no difference', () => {
    const recordings = {
      baseline: known(),
      control: rows({ cents: 100 }),
      candidate: rows({ cents: 250 }),
    };
    expect(findDifferences(recordings, ['payments'])).toEqual([]);
  });
});

describe('the security comparison', () => {
  const answers = (...all: Partial<OutsideAnswer>[]) => recording([], { answers: all.map(answer) });
  const good = () => answers({}, { hasCredentials: false, status: 401 });

  test.each<[string, VersionRecording, string]>([
    ['a route that answers without credentials', answers({}, { hasCredentials: false }), '200'],
    ['an old TLS version', answers({ tls: 'TLSv1.1' }), 'speaks TLSv1.1'],
    ['plain text', answers({ tls: null }), 'answers in plain text'],
    [
      'a cookie without HttpOnly',
      answers({
        headers: { ...answer().headers, 'set-cookie': ['session=1; Secure; SameSite=Lax'] },
      }),
      'cookie session without HttpOnly',
    ],
    [
      'an open origin',
      answers({ headers: { ...answer().headers, 'access-control-allow-origin': ['*'] } }),
      'is open to every origin',
    ],
    [
      'a missing security header',
      answers({ headers: { ...answer().headers, 'content-security-policy': [] } }),
      'has no content-security-policy',
    ],
    [
      'a third-party script without integrity',
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
  ])('finds %s', (_, candidate, after) => {
    const found = findIn(good, candidate);
    expect(found).toMatchObject([{ class: 'security', severity: 'fail', service: 'edge', after }]);
  });

  test('finds weaker headers in answers to suites, whatever others get', () => {
    const login = answer({ method: 'POST', path: '/login' });
    const refused = answer({ status: 401, headers: {} });
    const served = (...some: OutsideAnswer[]) =>
      recording([], { served: some, answers: [refused] });
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

  test('finds nothing if nothing changed', () => {
    expect(findIn(good, good())).toEqual([]);
  });

  test.each([
    ['/internal/flags', 'fail'],
    ['/reports', 'notice'],
  ])('finds the new route %s with severity %s', (path, severity) => {
    const found = findIn(() => answers({ path, status: 404 }), answers({ path }));
    expect(found).toMatchObject([{ what: 'route-exposed', severity }]);
  });

  test('finds what is now answered to somebody to whom it did not exist', () => {
    const path = '/orders/ord_1';
    const as = 'as known client 2';
    const found = findIn(() => answers({ path, as, status: 404 }), answers({ path, as }));
    expect(found).toMatchObject([
      { what: 'refusal-lost', severity: 'fail', place: 'asked as known client 2' },
    ]);
    const known = () => answers({ path, as, status: 200 });
    expect(findIn(known, answers({ path, as }))).toEqual([]);
  });

  test.each([
    ['{"STRIPE":"4eC39HqL","REGION":"eu"}', { fields: ['STRIPE', 'REGION'] }],
    ['STRIPE=4eC39HqL', '15 characters'],
  ])('does not repeat the values that a route exposes: %s', (body, after) => {
    const path = '/env';
    const found = findIn(() => answers({ path, status: 404 }), answers({ path, body }));
    expect(found).toMatchObject([{ what: 'route-exposed', examples: { after } }]);
  });

  test('finds secrets in answers and logs, and stack traces only in answers', () => {
    const recorded = (responseBody: Hop['responseBody'], text: string) =>
      recording([hop({ responseBody })], { logs: [{ service: 'orders', text }] });
    const known = () => recorded({ ok: true }, 'all is well');
    const found = findIn(
      known,
      recorded(
        { ok: true, trace: 'at a (/b.ts:1:2)' },
        'token eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl',
      ),
    );
    expect(found.filter(({ class: kind }) => kind === 'security')).toMatchObject([
      { service: 'orders', place: 'the log', after: 'a secret (jwt)' },
      { place: 'the answer of pricing → validation POST /validations', after: 'a stack trace' },
    ]);
    expect(findIn(known, recorded({ ok: true }, '    at a (/b.ts:1:2)'))).toEqual([]);
  });

  test('finds a newly open port, and one that is open to more addresses', () => {
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

describe('the most causal difference comes first:', () => {
  /** A trade goes through orders and pricing to validation. */
  const trade = (amount: number | string, flagged: boolean, status = 200): Hop[] => {
    const [root, call] = request([{ ...pricing, responseBody: { flagged } }]) as [Hop, Hop];
    const { requestId } = root;
    return [root, call, hop({ requestId, requestBody: { amount }, status })];
  };
  const known = () => recording([...trade(1, true), ...trade(2, true)]);

  test('a wrong request of a changed service before the answer of another', () => {
    const broken = recording([...trade('1', true, 500), ...trade('2', true, 500)]);
    const found = findIn(known, broken, ['pricing']);
    expect(names(found)).toEqual([
      'fail: contract type-changed by pricing',
      'fail: status status-worse by validation',
    ]);
  });

  test('the deepest call of a changed service', () => {
    const hops = [...trade('1', true), ...trade('2', true)].map((one) =>
      one.to === 'pricing' ? { ...one, responseBody: { flagged: 'yes' } } : one,
    );
    expect(findIn(known, recording(hops), ['pricing']).map((one) => one.hop)).toEqual([
      'pricing → validation POST /validations',
      'orders → pricing POST /quotes',
    ]);
  });

  test('a plain request before one with an injected fault', () => {
    const faults = 'pricing>validation:delay=500';
    const answers = (status: number) => [
      hop({ status, faults, path: '/deep' }),
      hop({ from: null, to: 'edge', path: '/trades', status }),
    ];
    const found = findIn(() => recording(answers(200)), recording(answers(500)));
    expect(found.map((one) => one.hop)).toEqual([
      'outside → edge POST /trades',
      `pricing → validation POST /deep with ${faults}`,
    ]);
  });
});
