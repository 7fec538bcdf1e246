import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { unconfined } from '../../confinement/unconfined.fixture.ts';
import type { SuiteConfig } from '../../system/index.ts';
import type { SuiteRun } from '../api-schema.ts';
import { laneNeeded } from './reports/index.ts';
import { runSuite } from './run-suite.ts';
import { openLogs } from './suite-target.ts';

let root: string;
let server: Server;
let baseUrl: string;
let seen: { url: string; headers: IncomingHttpHeaders }[];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'surety-suite-code-'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    if (request.url === '/broken-off') return void response.destroy();
    const isEnded = request.url?.endsWith('/ended') ?? false;
    if (isEnded) response.statusCode = 404;
    // No service can say this by itself.
    if (request.url === '/ended') response.setHeader('x-surety-refused', 'LANE_UNKNOWN');
    const fault = { code: 'LANE_UNKNOWN', message: 'The lane has ended.' };
    const body = isEnded ? { fault } : { n: seen.length, url: request.url };
    response
      .setHeader('x-request-id', String(request.headers['x-request-id']))
      .end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  seen = [];
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true });
});

const lane = {
  lane: 'lane_1',
  candidates: [{ service: 'orders', name: 'orders-lane_1' }],
} as never;

/** What services wrote, by log. */
const written: Record<string, string[]> = {
  'orders-lane_1': ['{"message":"paid","requestId":"request-1"}', 'something else'],
  edge: ['got request-1', 'got request-2'],
};

const deps = {
  host: { readLog: async (log: string) => ({ lines: written[log] ?? [], next: 0 }) },
  config: { services: { edge: {}, orders: {} } as never },
};

const keyed: Record<string, string> = { baggage: 'surety-lane=lane_1' };

function run(
  code: string,
  more: Partial<SuiteConfig> = {},
  headers: Record<string, string> = keyed,
): Promise<SuiteRun> {
  writeFileSync(join(root, 'suite.ts'), `import { defineSuite } from 'surety/suite';\n${code}`);
  const config = { command: 'node suite.ts', directory: '.', environment: {}, ...more };
  return runSuite('flow', config, {
    baseUrl,
    headers,
    tree: { commit: '', root, top: root },
    confinement: unconfined,
    lane: 'lane_1',
    openLogs: () => openLogs(lane, deps),
  });
}

const told = ({ result, reason, checks }: SuiteRun): string[] => [
  reason === null ? result : `${result}: ${reason}`,
  ...checks.map(
    ({ check, passed, actual }) => `${passed ? '+' : '-'}${check} ${JSON.stringify(actual)}`,
  ),
];

// proves: verify.suites
describe('a suite in TypeScript', () => {
  test('sends requests with the key, and checks the answers', async () => {
    const ran = await run(
      `await defineSuite('flow', async ({ api, check, eventually, logs }) => {
        const made = await api.post<{ n: number }>('/orders', { total: 29.99 });
        check('a value', made.body.n, 1);
        check('a pattern', made.text, /"n":1/);
        check('a function', made.durationMs, (ms: number) => ms >= 0);
        await api.withHeaders({ baggage: 'own=1' }).withToken('other').get('/a');
        await api.withToken(null).get('/b');
        const last = await eventually(async () => {
          const { body } = await api.get<{ n: number }>('/count');
          return body.n >= 5 && body;
        }, { within: 10_000, every: 1 });
        check('what came true', last.n, 5);
        check('logs by id', await logs('request-1'), [
          { service: 'edge', text: 'got request-1' },
          { service: 'orders', text: '{"message":"paid","requestId":"request-1"}' },
        ]);
        check('an old answer', made.status, 201, made);
      });`,
      { environment: { TOKEN: 't1' } },
    );
    expect(ran.result).toBe('failed');
    expect(ran.checks.filter(({ passed }) => !passed)).toMatchObject([
      { check: 'an old answer', expected: 201, actual: 200 },
    ]);
    expect(ran.checks).toHaveLength(6);
    const [first, second, third] = seen.map(({ headers }) => headers);
    expect(first).toMatchObject({ baggage: 'surety-lane=lane_1', authorization: 'Bearer t1' });
    expect(second).toMatchObject({
      baggage: 'surety-lane=lane_1, own=1',
      authorization: 'Bearer other',
    });
    expect(third?.authorization).toBeUndefined();
    expect(ran.checks.at(-1)?.requestId).toBe(first?.['x-request-id']);
    expect(new Set(seen.map(({ headers }) => headers['x-request-id'])).size).toBe(seen.length);
  });

  test('asks for injected faults in a share of its requests', async () => {
    const ran = await run(`await defineSuite('flow', async ({ api, check }) => {
      const slow = api.withFault({ hop: 'a>b', delayMs: 800, status: 503, share: 0.5 });
      for (let n = 0; n < 4; n++) await slow.get('/x');
      check('asked', await slow.withFault({ hop: '*>c', reset: true }).get('/x').then(() => 1), 1);
    });`);
    expect(told(ran)).toEqual(['passed', '+asked 1']);
    expect(seen.map(({ headers }) => headers.baggage)).toEqual([
      'surety-lane=lane_1',
      'surety-lane=lane_1, surety-fault=a>b:delay=800+status=503',
      'surety-lane=lane_1',
      'surety-lane=lane_1, surety-fault=a>b:delay=800+status=503',
      'surety-lane=lane_1, surety-fault=*>c:reset',
    ]);
  });

  const suite = (body: string): string =>
    `import assert from 'node:assert/strict';
     await defineSuite('flow', async ({ api, check, eventually, database, logs }) => { ${body} });`;

  test.each<[string, string, string[]]>([
    [
      'an assertion',
      `assert.equal((await api.get('/')).status, 201, 'created')`,
      ['failed', '-created 200'],
    ],
    [
      'an aborted request',
      `await api.get('/broken-off')`,
      [
        'failed',
        expect.stringContaining('GET /broken-off failed: fetch failed: other side closed'),
      ],
    ],
    ['its return value', 'return true', ['passed', '+flow "(undefined)"']],
  ])('fails or passes by %s', async (_, body, expected) => {
    expect(told(await run(suite(body)))).toEqual(expected);
  });

  test('ignores a service that claims that the lane has ended', async () => {
    const code = `check('it', (await api.get('/as-if/ended')).status, 200);`;
    expect(told(await run(suite(code)))).toEqual(['failed', '-it 404']);
  });

  test.each<[string, string, string]>([
    ['has lost its lane', `await api.get('/ended')`, 'gave up: The lane has ended.'],
    [
      'reaches no service and has no datastore',
      `await database().query('SELECT 1').catch(({ message }) => process.stderr.write(message));
       await api.get('http://127.0.0.1:2/');`,
      'gave up: Nobody is at http://127.0.0.1:2: fetch failed: connect ECONNREFUSED 127.0.0.1:2: ' +
        'DATABASE_URL is not set. Name the datastore under',
    ],
  ])('is broken when it %s', async (_, body, reason) => {
    const { result, reason: why } = await run(suite(body));
    expect([result, why]).toEqual(['broken', expect.stringContaining(reason)]);
  });
});

const needy = new RegExp(`^${laneNeeded}: A fault needs a lane`);

test('a suite says that it needs a lane where it asks for a fault without one', async () => {
  const body = `check('a', 1, 1); api.withFault({ hop: 'a>b', reset: true });`;
  const code = `await defineSuite('flow', async ({ api, check }) => { ${body} });`;
  const { result, reason, checks } = await run(code, {}, {});
  expect([result, reason, checks.length]).toEqual(['broken', expect.stringMatching(needy), 1]);
});

test('logs are readable at a secret address, and only by a long enough id', async () => {
  const { address, close } = await openLogs(lane, deps);
  const ask = async (url: string) => {
    const answer = await fetch(url);
    return `${answer.status} ${await answer.text()}`;
  };
  expect(await ask(`${address}?about=request-2`)).toBe(
    '200 {"service":"edge","text":"got request-2"}\n',
  );
  expect(await ask(`${address}?about=request`)).toContain('400 about must have at least 8');
  expect(await ask(`${address}0?about=request-2`)).toBe('404 ');
  await close();
  await expect(fetch(address)).rejects.toThrow('fetch failed');
});

describe('a suite in Python', () => {
  const inPython = (code: string, headers = keyed): Promise<SuiteRun> => {
    writeFileSync(join(root, 'suite.py'), code);
    return run('', { command: 'python3 -m surety_suite suite.py' }, headers);
  };

  test('sends requests with the key, and reports the failed assertion', async () => {
    const ran = await inPython(`
def validate_all():
    order = api.post('/orders', {'total': 29.99})
    assert order.status_code == 200
    assert order.n == order.json()['n']
    check('a value', order.url, '/orders')
    slow = api.with_fault('a>b', delay_ms=5, status=503, share=0.5).with_token('t2')
    assert [slow.get('/x').status_code for _ in range(2)] == [200, 200]
    assert eventually(lambda: api.get('/x').n >= 5, within=60, every=0.001)
    assert [line['service'] for line in logs('request-1')] == ['edge', 'orders']
    return True

def validate_refund():
    assert api.get('/refund').status_code == 201

def validate_crash():
    api.get('/').nothing

def not_a_check():
    raise SystemExit
`);
    expect(told(ran)).toEqual([
      'failed',
      '+a value "/orders"',
      '+validate_all true',
      expect.stringMatching(/^-validate_refund "200 \{.*refund/),
      expect.stringContaining('the answer has no nothing'),
    ]);
    expect(ran.checks[2]?.expected).toBe("line 14: assert api.get('/refund').status_code == 201");
    expect(ran.checks[2]?.requestId).toBe(seen.at(-2)?.headers['x-request-id']);
    const struck = 'surety-lane=lane_1,surety-fault=a>b:delay=5+status=503';
    expect(seen.slice(1, 3).map(({ headers }) => [headers.baggage, headers.authorization])).toEqual(
      [
        ['surety-lane=lane_1', 'Bearer t2'],
        [struck, 'Bearer t2'],
      ],
    );
  });

  test('is broken when it has lost its lane', async () => {
    const ended = await inPython(`def validate_it():\n    api.get('/ended')\n`);
    expect(told(ended)).toEqual(['broken: it gave up: The lane has ended.']);
  });

  test('says that it needs a lane where it asks for a fault without one', async () => {
    const code = `def validate_it():\n    check('a', 1, 1)\n    api.with_fault('a>b', reset=True)\n`;
    const { result, reason, checks } = await inPython(code, {});
    expect([result, reason, checks.length]).toEqual(['broken', expect.stringMatching(needy), 1]);
  });
});
