import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFault } from '../../kernel/index.ts';
import { QuestionStore } from '../questions/question-store.fixture.ts';
import { hop, log, step } from '../questions/rows.fixture.ts';
import { serviceGraph } from './graph.ts';
import { traceOf } from './trace.ts';

const shape = (fields: object): string => JSON.stringify(fields);
const quote = { caller: 'orders', callee: 'pricing', method: 'POST', path: '/quotes/17?x=1' };
const query = {
  service: 'orders',
  kind: 'client',
  peer: 'postgresql://db:5432',
  name: 'SELECT orders',
  method: 'SELECT',
  route: '',
  httpStatus: null,
} as const;

let store: QuestionStore;
beforeAll(async () => {
  store = await QuestionStore.open({
    spans: [
      step('1', '', { service: 'edge', requestId: 'req-77' }),
      step('2', '1', { service: 'edge', kind: 'client', peer: '127.0.0.1:4301' }),
      step('3', '2', { service: 'orders', httpStatus: 500 }),
      step('4', '3', { service: 'orders', kind: 'client', peer: 'bank:443' }),
      step('7', '3', { service: 'orders', kind: 'client', peer: 'python', httpStatus: 404 }),
      step('8', '7', { service: 'flags' }),
      // Reports what it does, but not whom it calls.
      step('5', '3', { service: 'orders', kind: 'internal' }),
      step('6', '5', { service: 'fees' }),
      step('9', '', { service: 'orders', lane: 'lane_a' }),
      step('a', '9', { ...query, lane: 'lane_a', status: 'error' }),
      step('b', '3', query),
    ],
    logs: [
      log(0, 'I only log', { service: 'python' }),
      log(1, 'in it', { traceId: '0af7651916cd43dd8448eb211c80319c' }),
    ],
    hops: [
      hop(1, { ...quote, responseShape: shape({ amount: ['number'] }) }),
      hop(2, {
        ...quote,
        path: '/quotes/18',
        responseShape: shape({ amount: ['number', 'null'] }),
      }),
      hop(3, {
        ...quote,
        instance: 'pricing/lane_a/1',
        responseShape: shape({ amount: ['string'] }),
      }),
      hop(3, {
        caller: 'pricing',
        callee: 'validation',
        requestShape: shape({ amount: ['string'] }),
      }),
      hop(3, {
        caller: 'pricing',
        callee: 'validation',
        lane: 'lane_b',
        requestShape: shape({ amount: ['number'] }),
      }),
      hop(5, { callee: 'notes', caller: 'orders', protocol: 'message', isAnswered: false }),
      hop(4, { callee: 'edge', caller: '', isAnswered: false, status: 502 }),
    ],
  });
});
afterAll(() => store.remove());

test('shows queries as hops to their database, in the baseline and in lanes', async () => {
  const { rows } = await store.asker.query(
    `SELECT lane, protocol, method, path, is_answered FROM hops WHERE callee = '${query.peer}'
      ORDER BY lane`,
  );
  const asked = { protocol: 'postgresql', method: 'SELECT', path: 'orders' };
  expect(rows).toEqual([
    { lane: '', ...asked, is_answered: true },
    { lane: 'lane_a', ...asked, is_answered: false },
  ]);
});

// proves: telemetry.graph
test('builds the graph from both sides of a call and from the router', async () => {
  const { edges, said, isEmpty } = await serviceGraph({}, store.asker);
  const drawn = edges.map((edge) => {
    const { caller, callee, lane, calls, errors } = edge;
    return `${caller} → ${callee} ${lane} ${calls} ${errors}`;
  });
  expect(drawn.sort()).toEqual([
    'edge → orders baseline 1 0',
    'orders → bank:443 baseline 1 0',
    'orders → fees baseline 1 0',
    'orders → notes lane_a 1 0',
    'orders → postgresql://db:5432 baseline 1 0',
    'orders → postgresql://db:5432 lane_a 1 1',
    'orders → pricing lane_a 3 0',
    'orders → python baseline 1 0',
    'outside → edge baseline 1 0',
    'outside → edge lane_a 1 1',
    'pricing → validation lane_a 1 0',
    'pricing → validation lane_b 1 0',
    'python → flags baseline 1 0',
  ]);
  expect([said, isEmpty]).toEqual([
    '15 calls on 13 edges between 11 parties. 2 of them say something else on the wire than the baseline.',
    false,
  ]);
});

test('marks on an edge of a lane what differs on the wire', async () => {
  const { edges } = await serviceGraph({ lane: 'lane_a', service: 'pricing' }, store.asker);
  expect(edges).toMatchObject([
    {
      callee: 'pricing',
      shapes: [{ call: 'POST /quotes/:id', response: { amount: ['string'] } }],
      differences: ['POST /quotes/:id response: amount was null or number, is string'],
    },
    // The candidate is who calls; the one that it calls is everybody's.
    {
      callee: 'validation',
      differences: ['GET /orders request: amount was number, is string'],
    },
  ]);
  const other = await serviceGraph({ lane: 'lane_b' }, store.asker);
  const shapes = [{ request: { amount: ['number'] } }];
  expect(other.edges).toMatchObject([{ callee: 'validation', differences: [], shapes }]);
});

test('says why there is no edge', async () => {
  const { said, edges } = await serviceGraph({ service: 'order' }, store.asker);
  expect([edges, said]).toEqual([[], expect.stringContaining('Did you mean "orders"?')]);
  const refused = await serviceGraph({ since: 'soon' }, store.asker).catch((error) => error);
  expect(isFault(refused, 'TELEMETRY_ASKED_WRONGLY')).toBe(true);
});

test('shows a request step by step with its log lines, found by its own id', async () => {
  const trace = await traceOf('req-77', store.asker);
  expect(trace.spans.map(({ depth, service, kind }) => [depth, service, kind])).toEqual([
    [0, 'edge', 'server'],
    [1, 'edge', 'client'],
    [2, 'orders', 'server'],
    [3, 'orders', 'client'],
    [3, 'orders', 'client'],
    [4, 'flags', 'server'],
    [3, 'orders', 'internal'],
    [4, 'fees', 'server'],
    [3, 'orders', 'client'],
    [0, 'orders', 'server'],
    [1, 'orders', 'client'],
  ]);
  expect(trace.spans.at(-1)?.name).toBe('postgresql SELECT orders');
  expect(trace).toMatchObject({ durationMs: 10, lines: [{ text: 'in it' }], isEmpty: false });
  const none = await traceOf('req-78', store.asker);
  expect(none).toMatchObject({ spans: [], lines: [], isEmpty: true });
});
