import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stepsOf } from '../measure/index.ts';
import { sendBurst, stepsWithEffects } from './concurrent-requests.ts';
import { findConflicts } from './conflicts.ts';
import { LoadArm } from './load-arm.ts';

let server: Server;
let made = 0;
const paid = new Set<string>();

/** The control refuses a second payment, the candidate accepts it. Answers have a time. */
beforeAll(async () => {
  server = createServer(({ url = '', headers }, response) => {
    const [, id] = /^\/orders\/(\w+)\/pay$/.exec(url) ?? [];
    const isRefused = id && paid.has(id) && `${headers.baggage}`.includes('surety-lane=control');
    const order = id ?? `order${++made}`;
    if (id) paid.add(id);
    response.statusCode = isRefused ? 409 : 200;
    const paidAt = new Date(1.8e12 + ++made).toISOString();
    response.end(JSON.stringify({ id: order, number: `A-${order}`, ...(id ? { paidAt } : {}) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

const request = (path: string, answer: object) => ({
  method: 'POST',
  path,
  headers: [],
  body: null,
  status: 200,
  answer,
});
const scenario = {
  name: 'pay',
  requests: [
    request('/orders', { id: 'order12345', number: 'A-order12345' }),
    request('/orders/order12345/pay', {}),
  ],
};

async function burstsOn(lane: string) {
  const { port } = server.address() as AddressInfo;
  const context = {
    routes: { address: async () => `http://127.0.0.1:${port}`, hops: async () => [] },
    host: { meter: async () => ({ read: () => [] }) },
  };
  const arm = await LoadArm.open({ lane, candidates: [] } as never, [], context as never);
  const steps = stepsWithEffects(stepsOf([scenario] as never, () => true)).at(-1) ?? [];
  try {
    return [await sendBurst(arm, steps), await sendBurst(arm, steps), await sendBurst(arm, steps)];
  } finally {
    await arm.close();
  }
}

test('values of earlier answers do not name the effect of concurrent requests', async () => {
  const [control, candidate] = [await burstsOn('control'), await burstsOn('candidate')];
  const statuses = candidate.map(({ answers }) => answers.map(({ status }) => status));
  expect(statuses).toEqual(Array(3).fill([200, 200, 200, 200]));
  expect(findConflicts({ steps: [], control, candidate })).toMatchObject([
    { what: 'accepted-twice', before: '1 of 4 concurrent requests accepted' },
  ]);
});
