import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { unconfined } from '../../confinement/unconfined.fixture.ts';
import { fault, type Json, type Proposal } from '../../kernel/index.ts';
import { App, appFile, lineOf, deps as probeDeps } from '../../probes/scene.fixture.ts';
import type { SuiteRun } from '../api-schema.ts';
import { verifyLimits } from '../limits.ts';
import { findLine } from './line-of-version.ts';
import { runSuite } from './run-suite.ts';
import { type CapturesDeps, type CapturesRequest, openCaptures } from './suite-captures.ts';

let root: string;
let app: App;
let proposals: Proposal[];
let ended: Json[];
let missing: string[];
let isAllowed: boolean;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'surety-captures-'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  app = await App.start();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});
beforeEach(() => {
  [proposals, ended, missing, isAllowed] = [[], [], [], true];
});

const request: CapturesRequest = {
  lane: {
    lane: 'lane_1',
    commit: 'new',
    candidates: [{ service: 'orders', name: 'orders-lane_1' }],
  } as never,
  version: 'old',
  actor: 'agent:coder',
  suite: 'flow',
};

const deps: CapturesDeps = {
  ...probeDeps,
  act: async (proposal, run) => {
    proposals.push(proposal);
    if (!isAllowed) throw fault('PROBE_NOT_PERMITTED', { pid: app.pid, reason: 'the policy' });
    return { status: 'committed', proposal: 'p', value: await run({} as never) };
  },
  ledger: { append: async (draft: Json) => void ended.push(draft) } as never,
  host: { running: async () => new Map([['orders-lane_1', { pid: app.pid }]]) as never },
  trees: { read: async () => null },
  config: { services: { orders: {}, edge: {} } },
  onMissingCopy: (service) => missing.push(service),
};

/** A suite in its own process, which captures while it trades. */
function run(point: string, command = 'node suite.ts'): Promise<SuiteRun> {
  const code = `import { defineSuite } from 'surety/suite';
    await defineSuite('flow', async ({ api, check, capture }) => {
      const { result, captures } = await capture(${point}, () => api.get('/trade?amount=20000'));
      check('the answer', result.status, 200);
      check('the capture', captures, (all) => all === null || all.length === 1);
      check('the value', captures?.map(({ values }) => values), [{ 'typeof amount': 'number', amount: 20000 }]);
    });`;
  writeFileSync(join(root, 'suite.ts'), code);
  return runSuite('flow', { command, directory: '.', environment: {} } as never, {
    baseUrl: app.url,
    headers: {},
    tree: { commit: 'old', root, top: root },
    confinement: unconfined,
    lane: 'lane_1',
    openCaptures: (suite) => openCaptures({ ...request, suite }, deps),
  });
}

const at = `service: 'orders', file: ${JSON.stringify(appFile)}, line: ${lineOf('before')}`;
const told = ({ result, reason, checks }: SuiteRun): unknown => [
  result,
  reason,
  ...checks.map(({ passed }) => passed),
];

// proves: probes.suites
test('a suite asserts on a value inside the candidate of its lane', async () => {
  const ran = await run(`{ ${at}, expressions: ['typeof amount', 'amount'] }`);
  expect(told(ran)).toEqual(['passed', null, true, true, true]);
  expect(proposals).toMatchObject([
    {
      actor: 'agent:coder',
      tool: 'probe.place',
      arguments: { service: 'orders', lane: 'lane_1', pids: [app.pid] },
    },
  ]);
  expect(ended).toMatchObject([
    {
      kind: 'probe-ended',
      actor: 'agent:coder',
      body: { reason: 'removed', hits: 1, lane: 'lane_1' },
      contents: [{ value: { owner: 'agent:coder', reason: 'suite flow', captures: [{ hit: 1 }] } }],
    },
  ]);
  expect(await app.hasOpenInspector()).toBe(false);
});

test('a suite in Python captures, too', async () => {
  const code = `
def validate_amount():
    answer, captures = capture(
        lambda: api.get('/trade?amount=20000'),
        service='orders', file='${appFile}', line=${lineOf('before')}, expressions=['amount'])
    assert answer.status_code == 200
    assert [one['values'] for one in captures] == [{'amount': 20000}]

def validate_unchanged():
    answer, captures = capture(lambda: api.get('/state'), service='edge', file='a.ts', line=1)
    assert answer.status_code == 200 and captures is None
`;
  writeFileSync(join(root, 'suite.py'), code);
  const ran = await run('{}', 'python3 -m surety_suite suite.py');
  expect(told(ran)).toEqual(['passed', null, true, true]);
});

test('a service of which the lane has no copy is not looked into', async () => {
  const ran = await run(`{ service: 'edge', file: 'edge.ts', line: 1 }`);
  expect(told(ran)).toEqual(['failed', null, true, true, false]);
  expect([missing, proposals]).toEqual([['edge'], []]);
});

test.each<[string, string, string]>([
  ['another service', `{ service: 'nobody', file: 'a.ts', line: 1 }`, 'no service nobody'],
  ['no line', `{ service: 'orders', file: 'a.ts', line: 'x' }`, 'line'],
  ['a call', `{ ${at}, expressions: ['traps.change()'] }`, 'traps.change()'],
  [
    'a line without code',
    `{ service: 'orders', file: ${JSON.stringify(appFile)}, line: ${lineOf('no code')} }`,
    'line',
  ],
])('a suite that asks for %s is broken, and says why', async (_, point, reason) => {
  const { result, reason: why } = await run(point);
  expect([result, why]).toEqual(['broken', expect.stringContaining('The capture was refused')]);
  expect(why).toContain(reason);
});

test('what the policy refuses breaks the suite, and nothing is placed', async () => {
  isAllowed = false;
  const { result, reason } = await run(`{ ${at} }`);
  expect([result, reason]).toEqual(['broken', expect.stringContaining('the policy')]);
  expect(ended).toEqual([]);
});

test('a suite that ends leaves no probe behind, and opens only so many', async () => {
  const { address, close } = await openCaptures(request, deps);
  const point = { service: 'orders', file: appFile, line: lineOf('before') };
  const begin = async (url = address): Promise<number> =>
    (await fetch(url, { method: 'POST', body: JSON.stringify(point) })).status;
  for (let n = 0; n < verifyLimits.suiteCapturesMax; n++) expect(await begin()).toBe(200);
  expect(await begin()).toBe(400);
  expect(await begin(address.replace(/\w$/, '-'))).toBe(404);
  expect((await fetch(address, { method: 'POST', body: '[' })).status).toBe(400);
  expect((await fetch(address, { method: 'POST', body: 'x'.repeat(20_000) })).status).toBe(400);
  expect((await fetch(`${address}/probe_1`, { method: 'DELETE' })).status).toBe(400);
  expect((await fetch(address)).status).toBe(405);
  await close();
  expect(ended).toHaveLength(verifyLimits.suiteCapturesMax);
  expect(await app.hasOpenInspector()).toBe(false);
});

test.each<[string, string | null, number | string]>([
  ['the same text', 'a\nb\nc', 2],
  ['a file that the version does not have', null, 2],
  ['lines added above', 'x\ny\na\n  b\nc', 4],
  ['the line changed', 'a\nB\nc', 'not in this version once'],
  ['the line twice', 'b\nb', 'not in this version once'],
])('finds a line of the suite in another version: %s', async (_, after, expected) => {
  const trees = { read: async (version: string) => (version === 'old' ? 'a\nb\nc' : after) };
  const found = findLine({ file: 'a.ts', line: 2, from: 'old', to: 'new' }, trees);
  if (typeof expected === 'number') expect(await found).toBe(expected);
  else await expect(found).rejects.toThrow(expected);
});
