import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { verifyLimits } from '../limits.ts';
import type { Scenario, ScenarioRequest } from '../traffic/index.ts';
import { type LoadContext, putLoad } from './load.ts';
import { withOwnKey } from './retried.ts';
import { type LoadPlan, Stage } from './stage.ts';
import { inTheirTurn, type SweepPlan, sweepAgain, sweepFaults } from './sweep.ts';
import { faultsOn, type SweptFault } from './swept-fault.ts';

let server: Server;
let hops: Hop[] = [];
let onFault: () => void;
let isForgetful: boolean;
/** How long after its answer an audit is asked; null for never. */
let auditMs: (isCandidate: boolean, isFirst: boolean) => number | null;
const charges = new Map<string, string>();
const lost = { injected: 'lost', status: 0, lostStatus: 200 };

/** Payments, a bank behind it, and a router that loses answers: all in one. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const { baggage, 'x-request-id': requestId, 'idempotency-key': key } = request.headers;
    const [, faults] = /surety-fault=([^,]+)/.exec(`${baggage}`) ?? [];
    const isCandidate = `${baggage}`.includes('surety-lane=candidate');
    const name = isCandidate && isForgetful ? `${requestId}` : `${baggage?.slice(-9)} ${key}`;
    const known = charges.get(name);
    const charge = known ?? `ch_${charges.size}`;
    charges.set(name, charge);
    const asked = { requestId: `${requestId}`, answered: true, ...(faults ? { faults } : {}) };
    const met = (at: string) => (faults?.startsWith(at) ? lost : {});
    const [outside, bank] = ['outside>payments', 'payments>bank'];
    const answer = { ...asked, responseBody: { charge } };
    hops.push(hop({ ...answer, from: null, to: 'payments', ...met(outside) }));
    if (!known) hops.push(hop({ ...answer, from: 'payments', to: 'bank', ...met(bank) }));
    audit(`${requestId}`, auditMs(isCandidate, faults !== undefined));
    if (faults) onFault();
    if (faults?.startsWith(outside)) response.destroy();
    else response.writeHead(faults ? 502 : 200).end(JSON.stringify({ charge }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());
beforeEach(() => {
  hops = [];
  isForgetful = true;
  auditMs = () => null;
  onFault = () => undefined;
});

function audit(requestId: string, ms: number | null): void {
  // A test that comes after has requests by the same ids.
  const seen = hops;
  const ask = () => void seen.push(hop({ from: 'payments', to: 'audit', requestId }));
  if (ms === 0) ask();
  else if (ms !== null) setTimeout(ask, ms);
}

const paying = (body: string): ScenarioRequest => ({
  method: 'POST',
  path: '/payments',
  headers: [['idempotency-key', '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f']],
  body: Buffer.from(body),
  status: 200,
  answer: null,
});
const scenario = (requests: number): Scenario => ({
  name: 'pay',
  requests: Array.from({ length: requests }, (_, n) => paying(`${n}`)),
});
const plan: SweepPlan = {
  services: ['payments'],
  watch: async () => async () => ({}),
  quietMs: 90,
};

function scene(requests: number): [LoadPlan, LoadContext] {
  const { port } = server.address() as AddressInfo;
  const routes = {
    address: async () => `http://127.0.0.1:${port}`,
    hops: async (key: string, after = 0) =>
      hops.filter(({ n, requestId }) => n > after && requestId?.startsWith(`${key}-`)),
  };
  const candidates = [{ service: 'payments', name: 'payments' }];
  const lane = (name: string) => ({ lane: name, candidates });
  const lanes = { control: lane('control'), candidate: lane('candidate') };
  const wanted = { lanes, services: plan.services, scenarios: [scenario(requests)] };
  const host = { meter: async () => ({ read: () => [] }) };
  const withFreshLanes: LoadContext['withFreshLanes'] = (work) => work(lanes as never);
  return [{ ...wanted, isSafe: () => true } as never, { routes, host, withFreshLanes } as never];
}

async function onStage<Value>(
  requests: number,
  work: (stage: Stage) => Promise<Value>,
): Promise<Value> {
  const stage = await Stage.open(...scene(requests));
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}

const sweep = (requests: number) => onStage(requests, (stage) => sweepFaults(stage, plan));

// proves: verify.lost-answers
describe('what a client sends again after its answer was lost', () => {
  test('is told once a second start shows that it is done twice', async () => {
    const { relapsed, remarks } = await sweep(1);
    expect(remarks).toEqual(['tried again after 3 faults on the way of requests']);
    const { differences, shown } = await onStage(1, (stage) => sweepAgain(stage, relapsed, plan));
    expect(differences).toMatchObject([
      {
        class: 'calls',
        what: 'retry-repeats',
        service: 'payments',
        hop: 'outside → payments POST /validations',
        place: 'response charge of POST /payments',
        before: '1 value for one that was tried again',
        after: expect.stringContaining('with baggage surety-fault=outside>payments:lost'),
      },
    ]);
    expect(shown).not.toHaveLength(0);
  });

  test('is not told where the second start does not show it', async () => {
    const { relapsed } = await sweep(1);
    expect(relapsed).not.toHaveLength(0);
    isForgetful = false;
    const { differences } = await onStage(1, (stage) => sweepAgain(stage, relapsed, plan));
    expect(differences).toEqual([]);
  });

  test('is nothing where it is done once on both', async () => {
    isForgetful = false;
    expect((await sweep(1)).relapsed).toEqual([]);
  });

  test.each<[string, typeof auditMs]>([
    ['later than before', (isCandidate) => (isCandidate ? 30 : 0)],
    ['sooner than before', (isCandidate, isFirst) => (isCandidate || isFirst ? 0 : 30)],
  ])('is nothing where somebody is only asked %s', async (_, ms) => {
    isForgetful = false;
    auditMs = ms;
    expect((await sweep(1)).relapsed).toEqual([]);
  });

  test('is tried when the load is over: breakers that it opens would hide what is slow', async () => {
    isForgetful = false;
    const seen: string[] = [];
    onFault = () => void seen.push('fault');
    const [given, deps] = scene(1);
    await putLoad(given, { ...deps, onProgress: (stage) => void seen.push(stage) });
    expect(seen).toContain('fault');
    expect(seen.lastIndexOf('load: 24 clients at once')).toBeGreaterThan(0);
    expect(seen.indexOf('fault')).toBeGreaterThan(seen.lastIndexOf('load: 24 clients at once'));
  });
});

describe('faults are tried', () => {
  beforeEach(() => {
    isForgetful = false;
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => void vi.useRealTimers());

  test(`as many as ${verifyLimits.sweptFaultsMax}, and what is left out is told`, async () => {
    const max = verifyLimits.sweptFaultsMax;
    const all = 3 * Math.floor(max / 3);
    expect((await sweep(all / 3)).remarks).toEqual([
      `tried again after ${all} faults on the way of requests`,
    ]);
    expect((await sweep(all / 3 + 1)).remarks).toEqual([
      `tried again after ${max} faults on the way of requests; ${all + 3 - max} more were left out`,
    ]);
  });

  test.each([
    [verifyLimits.sweepMsMax, 1],
    [verifyLimits.sweepMsMax - 1, 2],
  ])('until it took too long: after %d ms no more than %d', async (ms, count) => {
    let last: string | undefined;
    let tried = 0;
    onFault = () => {
      const { faults } = hops.at(-1) ?? {};
      if (faults === last) return;
      last = faults;
      if (++tried === 1) vi.advanceTimersByTime(ms);
      else vi.advanceTimersByTime(1);
    };
    const [remark] = (await sweep(1)).remarks;
    expect(remark).toContain(`after ${count} faults`);
  });
});

test('faults are at each hop of a way that no process feels which others use too', () => {
  const requestId = 'r1';
  const way = [
    hop({ from: null, to: 'edge', requestId }),
    hop({ from: 'edge', to: 'orders', requestId }),
    hop({ from: 'orders', to: 'flags', method: 'GET', requestId }),
    hop({ from: 'orders', to: 'news', protocol: 'message', requestId }),
    hop({ from: 'orders', to: 'payments', requestId }),
    hop({ from: 'payments', to: 'bank', requestId }),
    hop({ from: 'bank', to: 'mail', requestId }),
  ];
  const services = { changed: ['orders'], own: ['orders', 'payments'] };
  const told = faultsOn([], way, services).map(
    ({ hop: at, kind, isWhole, isClose }) =>
      `${at}:${kind}${isWhole ? ' whole' : ''}${isClose ? ' close' : ''}`,
  );
  expect(told).toEqual([
    'outside>edge:lost whole',
    'orders>flags:status=503 close',
    'orders>payments:lost close',
    'orders>payments:status=503 close',
    'payments>bank:lost',
    'payments>bank:status=503',
  ]);
});

test('each route and hop has its turn, those of changed services first', () => {
  const at = (body: string, place: string, isClose: boolean): SweptFault => ({
    steps: [{ request: paying(body), number: 0, carried: [] }],
    hop: place,
    kind: 'lost',
    isWhole: true,
    isClose,
  });
  const faults = ['1', '2'].flatMap((body) => [
    at(body, 'outside>edge', false),
    at(body, 'edge>payments', true),
  ]);
  const told = inTheirTurn(faults).map(({ steps, hop: place }) => [
    `${steps[0]?.request.body}`,
    place,
  ]);
  expect(told.map((one) => one.join(' '))).toEqual([
    '1 edge>payments',
    '1 outside>edge',
    '2 edge>payments',
    '2 outside>edge',
  ]);
});

test('each client has an idempotency key of its own that looks as it did', () => {
  const [[, key] = []] = withOwnKey(paying(''), () => Buffer.alloc(6, 7)).headers;
  expect(key).toBe('0f0f0f0f-0f0f-4f0f-8f0f-070707070707');
});
