import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { openProcessGauge } from '../../probes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { applyLoad, type LoadContext } from './load.ts';
import { type LoadPlan, LoadSession } from './load-session.ts';

let server: Server;
let charges = 0;
const hops: Hop[] = [];

/** The control charges once for concurrent requests, the candidate each time. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const [, lane = ''] = /surety-lane=(\w+)/.exec(`${request.headers.baggage}`) ?? [];
    const requestId = `${request.headers['x-request-id']}`;
    hops.push(hop({ from: null, to: 'payments', requestId }));
    const charge = lane === 'candidate' ? `ch_${++charges}` : 'ch_0';
    response.end(JSON.stringify({ charge }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

const lane = (name: string) => ({ lane: name, candidates: [] });
const request = { method: 'POST', path: '/payments', headers: [], body: null, status: 200 };
const plan: LoadPlan = {
  lanes: { control: lane('control'), candidate: lane('candidate') },
  services: ['payments'],
  scenarios: [{ name: 'pay', requests: [{ ...request, answer: null }] }],
  isSafe: () => true,
} as never;

function contextOf(more: Partial<LoadContext>, meter: () => Promise<unknown>): LoadContext {
  const { port } = server.address() as AddressInfo;
  const routes = {
    address: async () => `http://127.0.0.1:${port}`,
    hops: async (key: string, after = 0) =>
      hops.filter(({ n, requestId }) => n > after && requestId?.startsWith(`${key}-`)),
  };
  return { routes, host: { meter }, ...more } as never;
}

test('a confirmed conflict is reported even if the deadline passes right after', async () => {
  const time = new AbortController();
  const withFreshLanes: LoadContext['withFreshLanes'] = async (work) => {
    const result = await work(plan.lanes);
    time.abort();
    return result;
  };
  const meter = async () => ({ read: () => [] });
  const context = contextOf({ withFreshLanes, signal: time.signal }, meter);
  const { differences, undecided } = await applyLoad(plan, context);
  expect(differences).toMatchObject([{ what: 'answers-disagree' }]);
  expect(undecided).toEqual([]);
});

test('no load is applied after the deadline', async () => {
  const context = contextOf({ signal: AbortSignal.abort() }, () =>
    Promise.reject(new Error('opened')),
  );
  expect((await applyLoad(plan, context)).undecided).toHaveLength(1);
});

test('the debugger leaves a process if the other version can not be opened', async () => {
  const program = "process.stdin.resume(); console.log('there')";
  const child = spawn(process.execPath, ['--inspect-port=0', '-e', program]);
  try {
    await once(child.stdout, 'data');
    const opened: (() => unknown)[] = [
      async () => ({ read: () => [{ pids: [child.pid as number] }] }),
    ];
    const meter = async () => {
      const next = opened.shift();
      if (!next) throw new Error('gone');
      return next();
    };
    await expect(LoadSession.open(plan, contextOf({}, meter))).rejects.toThrow('gone');
    const gauge = await openProcessGauge([child.pid as number]);
    expect(gauge).not.toBeNull();
    await gauge?.close();
  } finally {
    child.kill('SIGKILL');
  }
});
