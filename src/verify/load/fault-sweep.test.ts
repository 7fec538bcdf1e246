import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { verifyLimits } from '../limits.ts';
import type { Scenario, ScenarioRequest } from '../traffic/index.ts';
import { confirmDefects, orderFaults, type SweepPlan, sweepFaults } from './fault-sweep.ts';
import { applyLoad, type LoadContext } from './load.ts';
import { type LoadPlan, LoadSession } from './load-session.ts';
import { type PlannedFault, planFaults } from './planned-fault.ts';
import { withOwnKey } from './retry.ts';

let server: Server;
let hops: Hop[] = [];
let onFault: () => void;
let isForgetful: boolean;
/** How long after its answer the audit service is called; null for never. */
let auditMs: (isCandidate: boolean, isFirst: boolean) => number | null;
const charges = new Map<string, string>();
const lost = { injected: 'lost', status: 0, lostStatus: 200 };

/** Payments, a bank behind it, and a router that loses answers, in one server. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const { baggage, 'x-request-id': requestId, 'idempotency-key': key } = request.headers;
    const [, faults] = /surety-fault=([^,]+)/.exec(`${baggage}`) ?? [];
    const isCandidate = `${baggage}`.includes('surety-lane=candidate');
    const name = isCandidate && isForgetful ? `${requestId}` : `${baggage?.slice(-9)} ${key}`;
    const known = charges.get(name);
    const charge = known ?? `ch_${charges.size}`;
    charges.set(name, charge);
    const common = { requestId: `${requestId}`, answered: true, ...(faults ? { faults } : {}) };
    const met = (at: string) => (faults?.startsWith(at) ? lost : {});
    const [outside, bank] = ['outside>payments', 'payments>bank'];
    const answer = { ...common, responseBody: { charge } };
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
  // Requests of a later test have the same ids.
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

async function withSession<Value>(
  requests: number,
  work: (session: LoadSession) => Promise<Value>,
): Promise<Value> {
  const session = await LoadSession.open(...scene(requests));
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

const sweep = (requests: number) => withSession(requests, (session) => sweepFaults(session, plan));

// proves: verify.lost-answers
describe('a request that is retried after a lost answer', () => {
  test('is a finding if two starts show that the effect happens twice', async () => {
    const { defects, remarks } = await sweep(1);
    expect(remarks).toEqual(['retried requests after 3 injected faults']);
    const { differences, shown } = await withSession(1, (session) =>
      confirmDefects(session, defects, plan),
    );
    expect(differences).toMatchObject([
      {
        class: 'calls',
        what: 'retry-repeats',
        service: 'payments',
        hop: 'outside → payments POST /validations',
        place: 'response charge of POST /payments',
        before: '1 value for a retried request',
        after: expect.stringContaining('with baggage surety-fault=outside>payments:lost'),
      },
    ]);
    expect(shown).not.toHaveLength(0);
  });

  test('is no finding if the second start does not show it', async () => {
    const { defects } = await sweep(1);
    expect(defects).not.toHaveLength(0);
    isForgetful = false;
    const { differences } = await withSession(1, (session) =>
      confirmDefects(session, defects, plan),
    );
    expect(differences).toEqual([]);
  });

  test('is no finding if the effect happens once on both versions', async () => {
    isForgetful = false;
    expect((await sweep(1)).defects).toEqual([]);
  });

  test.each<[string, typeof auditMs]>([
    ['later than on the baseline', (isCandidate) => (isCandidate ? 30 : 0)],
    ['sooner than on the baseline', (isCandidate, isFirst) => (isCandidate || isFirst ? 0 : 30)],
  ])('is no finding if a call is only made %s', async (_, ms) => {
    isForgetful = false;
    auditMs = ms;
    expect((await sweep(1)).defects).toEqual([]);
  });

  test('comes after the load, because open circuit breakers would hide slowness', async () => {
    isForgetful = false;
    const seen: string[] = [];
    onFault = () => void seen.push('fault');
    const [given, context] = scene(1);
    await applyLoad(given, { ...context, onProgress: (stage) => void seen.push(stage) });
    expect(seen).toContain('fault');
    expect(seen.lastIndexOf('load: 24 concurrent clients')).toBeGreaterThan(0);
    expect(seen.indexOf('fault')).toBeGreaterThan(seen.lastIndexOf('load: 24 concurrent clients'));
  });
});

describe('faults are injected', () => {
  beforeEach(() => {
    isForgetful = false;
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => void vi.useRealTimers());

  test(`up to ${verifyLimits.sweptFaultsMax}, and a remark says how many were left out`, async () => {
    const max = verifyLimits.sweptFaultsMax;
    const all = 3 * Math.floor(max / 3);
    expect((await sweep(all / 3)).remarks).toEqual([
      `retried requests after ${all} injected faults`,
    ]);
    expect((await sweep(all / 3 + 1)).remarks).toEqual([
      `retried requests after ${max} injected faults; ${all + 3 - max} more were left out`,
    ]);
  });

  test.each([
    [verifyLimits.sweepMsMax, 1],
    [verifyLimits.sweepMsMax - 1, 2],
  ])('until the time is up: after %d ms only %d', async (ms, count) => {
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
    expect(remark).toContain(`after ${count} injected faults`);
  });
});

test('faults are planned for each hop whose caller is not shared', () => {
  const requestId = 'r1';
  const path = [
    hop({ from: null, to: 'edge', requestId }),
    hop({ from: 'edge', to: 'orders', requestId }),
    hop({ from: 'orders', to: 'flags', method: 'GET', requestId }),
    hop({ from: 'orders', to: 'news', protocol: 'message', requestId }),
    hop({ from: 'orders', to: 'payments', requestId }),
    hop({ from: 'payments', to: 'bank', requestId }),
    hop({ from: 'bank', to: 'mail', requestId }),
  ];
  const services = { changed: ['orders'], own: ['orders', 'payments'] };
  const planned = planFaults([], path, services).map(
    ({ hop: at, kind, isWhole, isClose }) =>
      `${at}:${kind}${isWhole ? ' whole' : ''}${isClose ? ' close' : ''}`,
  );
  expect(planned).toEqual([
    'outside>edge:lost whole',
    'orders>flags:status=503 close',
    'orders>payments:lost close',
    'orders>payments:status=503 close',
    'payments>bank:lost',
    'payments>bank:status=503',
  ]);
});

test('each route and hop gets a fault before any gets a second, changed services first', () => {
  const at = (body: string, place: string, isClose: boolean): PlannedFault => ({
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
  const ordered = orderFaults(faults).map(({ steps, hop: place }) => [
    `${steps[0]?.request.body}`,
    place,
  ]);
  expect(ordered.map((one) => one.join(' '))).toEqual([
    '1 edge>payments',
    '1 outside>edge',
    '2 edge>payments',
    '2 outside>edge',
  ]);
});

test('each client gets its own idempotency key of the same form', () => {
  const [[, key] = []] = withOwnKey(paying(''), () => Buffer.alloc(6, 7)).headers;
  expect(key).toBe('0f0f0f0f-0f0f-4f0f-8f0f-070707070707');
});
