import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ReceivedSpan, Receiver } from '../src/preload/receiver.fixture.ts';
import { QueueScene, rabbitmq } from './harness/systems/queue-scene.ts';
import { until } from './harness/until.ts';

// Its broker takes long to start: `npm run test:rabbitmq` does so, the other tests do not.
describe.skipIf(!process.env.SURETY_TEST_RABBITMQ)('messages by RabbitMQ', () => {
  let receiver: Receiver;
  let queues: QueueScene;

  beforeAll(async () => {
    receiver = await Receiver.open();
    queues = await QueueScene.open(rabbitmq, receiver.address);
  }, 120_000);

  afterAll(async () => {
    for (const one of [queues, receiver]) await one?.[Symbol.asyncDispose]();
  });

  /** Lanes' messages are decided in their order: what is before this one is over with it. */
  const settled = async (label: string): Promise<void> => {
    await queues.publish('each', `${label}-k3`, 'k3');
    expect(await queues.whoGot(`${label}-k3`, 2)).toEqual(['a/k3', 'b/k3']);
    for (const kind of ['each', 'one']) await queues.publish(kind, `${label}-${kind}`);
    expect(await queues.whoGot(`${label}-each`, 2)).toEqual(['a/null', 'b/null']);
    expect(await queues.whoGot(`${label}-one`, 1)).toEqual([expect.stringMatching(/^[ab]\/null$/)]);
  };

  test('are consumed once by the lane that sent them, and calls of the handler carry the key', async () => {
    for (const key of ['k1', 'k2']) {
      await queues.publish('each', `each-${key}`, key);
      for (const n of [1, 2, 3]) await queues.publish('one', `one-${key}-${n}`, key);
    }
    for (const key of ['k1', 'k2']) {
      const expected = [`candidate-${key}/${key}`];
      expect(await queues.whoGot(`each-${key}`, 1)).toEqual(expected);
      for (const n of [1, 2, 3])
        expect(await queues.whoGot(`one-${key}-${n}`, 1)).toEqual(expected);
    }
    await settled('own');
    expect(await queues.whoGot('one-k1-1', 1)).toEqual(['candidate-k1/k1']);
  });

  test('are consumed with the key by the baseline when the lane has no candidate', async () => {
    await queues.publish('one', 'one-k3', 'k3');
    await settled('k3');
    expect(await queues.whoGot('one-k3', 1)).toEqual([expect.stringMatching(/^[ab]\/k3$/)]);
  });

  test.each([undefined, 'k1'])(
    'are reported in the trace of their sender, with key %s',
    async (key) => {
      await queues.publish('one', `told-${key}`, key);
      const ofLane = (kind: string): ReceivedSpan[] =>
        receiver.spans.filter((one) => one.kind === kind && one.values['surety.lane'] === key);
      const isBelow = (handled: ReceivedSpan): boolean =>
        ofLane('producer').some(
          ({ traceId, spanId, name }) =>
            name === 'publish orders' &&
            `${traceId}${spanId}` === `${handled.traceId}${handled.parentSpanId}`,
        );
      const handled = await until('it is told', () => ofLane('consumer').find(isBelow));
      expect(handled.name).toBe('process orders');
      expect(handled.values).toMatchObject({ 'messaging.system': 'rabbitmq' });
    },
  );

  test('of an ended lane are consumed by nobody', async () => {
    await queues.publishLate('one', 'dead', 'k9');
    await queues.publishLate('each', 'dead', 'k9');
    await settled('after-dead');
    expect(queues.given).toContain('after-dead-each');
    expect(queues.given).not.toContain('dead');
  });
});
