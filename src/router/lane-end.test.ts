import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../tests/harness/until.ts';
import { createClock } from '../kernel/index.ts';
import { routerLimits } from './limits.ts';
import { Scene } from './scene.fixture.ts';

let scene: Scene;
let waiting: { request: IncomingMessage; response: ServerResponse }[];
let port: number;

beforeAll(async () => {
  scene = await Scene.open();
  port = await scene.serve((request, response) => waiting.push({ request, response }));
});
afterAll(() => scene[Symbol.asyncDispose]());

const ask = (path = '/') =>
  fetch(`http://127.0.0.1:${scene.port}${path}`, { headers: { baggage: 'surety-lane=k1' } });

async function open(expiresAt?: number): Promise<void> {
  waiting = [];
  const candidate = { edge: { port, instance: 'edge/lane_1/a' } };
  const end = expiresAt === undefined ? {} : { expiresAt };
  // Nobody is at the port of the baseline: an answer from there would be a refused connection.
  await scene.routeTo(1, { lanes: { k1: { lane: 'lane_1', overrides: candidate, ...end } } });
}

async function served() {
  await until('the candidate has it', () => waiting.length > 0);
  return waiting[0] as (typeof waiting)[0];
}

const ended = { code: 'LANE_UNKNOWN', message: expect.stringContaining('ended') };

// proves: lanes.fail-closed
describe('when a lane ends', () => {
  test('a request in progress may finish within the grace period', async () => {
    // A machine that has much else to do may take longer than that.
    await until('one has finished', async () => {
      await open();
      const answer = ask();
      const { response } = await served();
      await scene.routeTo(1, { lanes: {} });
      response.end('done');
      return (await (await answer).text()) === 'done';
    });
  });

  test('a slower request is refused, and its candidate sees the disconnect', async () => {
    await open();
    const answer = ask();
    const { response } = await served();
    const left = once(response, 'close');
    await scene.routeTo(1, { lanes: {} });
    const refusal = await answer;
    expect(refusal.status).toBe(503);
    expect(await refusal.json()).toMatchObject({ fault: ended });
    await left;
  });

  test('an answer in progress is cut off', async () => {
    await open();
    const answer = ask();
    const { response } = await served();
    response.write('half');
    const body = (await answer).text();
    await scene.routeTo(1, { lanes: {} });
    await expect(body).rejects.toThrow();
  });

  test('a request whose candidate is already gone gets the fault of the ended lane', async () => {
    await open();
    const answer = ask();
    const { request } = await served();
    await scene.routeTo(1, { lanes: {} });
    request.socket.destroy();
    expect(await (await answer).json()).toMatchObject({ fault: ended });
  });

  /** The refusal of a request that the candidate got before the time of its lane was over. */
  async function overtaken(lifeMs = 400): Promise<Response> {
    await open(createClock().now() + lifeMs);
    const answer = ask();
    const here = waiting;
    await Promise.race([answer, until('the candidate has it', () => here.length > 0)]);
    return here.length > 0 ? answer : overtaken(lifeMs * 2);
  }

  test('because its time is over, its requests are refused without any command', async () => {
    const refusal = await overtaken();
    expect([refusal.status, await refusal.json()]).toMatchObject([503, { fault: ended }]);
    const next = await ask();
    expect(next.status).toBe(503);
    expect(await next.json()).toMatchObject({
      fault: { code: 'LANE_UNKNOWN', message: expect.stringContaining('time') },
    });
  });

  test('other lanes continue undisturbed', async () => {
    await open();
    const answer = ask();
    const { response } = await served();
    const lanes = (await scene.router.table()).lanes;
    await scene.routeTo(1, { lanes: { ...lanes, k2: { lane: 'lane_2', overrides: {} } } });
    await scene.routeTo(1, { lanes });
    await new Promise((resolve) => setTimeout(resolve, routerLimits.endedLaneRequestMsMax + 100));
    response.end('done');
    expect(await (await answer).text()).toBe('done');
  });
});
