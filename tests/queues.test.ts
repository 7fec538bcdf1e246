import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nats, QueueScene } from './harness/systems/queue-scene.ts';
import { until } from './harness/until.ts';

describe.each(['nats', '@nats-io/transport-node'])('messages by %s', (client) => {
  let queues: QueueScene;

  beforeAll(async () => {
    queues = await QueueScene.open(nats(client));
  });

  afterAll(() => queues[Symbol.asyncDispose]());

  describe.each(['callback', 'loop'])('that are consumed in a %s', (way) => {
    /** Whatever came before on these subjects has been dealt with when this has. */
    const settled = async (label: string): Promise<void> => {
      for (const kind of ['each', 'one'])
        await queues.publish(`${kind}.${way}`, `${label}-${kind}`);
      expect(await queues.whoGot(`${label}-each`, 2)).toEqual(['a/null', 'b/null']);
      expect(await queues.whoGot(`${label}-one`, 1)).toEqual([
        expect.stringMatching(/^[ab]\/null$/),
      ]);
    };

    test('are consumed once by the lane that sent them, and calls of the handler carry the key', async () => {
      for (const key of ['k1', 'k2']) {
        await queues.publish(`each.${way}`, `each-${way}-${key}`, key);
        await queues.publish(`one.${way}`, `one-${way}-${key}`, key);
      }
      for (const key of ['k1', 'k2']) {
        const expected = [`candidate-${key}/${key}`];
        expect(await queues.whoGot(`each-${way}-${key}`, 1)).toEqual(expected);
        expect(await queues.whoGot(`one-${way}-${key}`, 1)).toEqual(expected);
      }
      await settled(`after-own-${way}`);
      expect(await queues.whoGot(`each-${way}-k1`, 1)).toEqual(['candidate-k1/k1']);
      expect(await queues.whoGot(`one-${way}-k1`, 1)).toEqual(['candidate-k1/k1']);
    });

    test('are consumed with the key by the baseline when the lane has no candidate', async () => {
      await queues.publish(`each.${way}`, `each-${way}-k3`, 'k3');
      await queues.publish(`one.${way}`, `one-${way}-k3`, 'k3');
      expect(await queues.whoGot(`each-${way}-k3`, 2)).toEqual(['a/k3', 'b/k3']);
      await settled(`after-k3-${way}`);
      expect(await queues.whoGot(`one-${way}-k3`, 1)).toEqual([
        expect.stringMatching(/^[ab]\/k3$/),
      ]);
    });

    test('without a key are consumed once by the baseline, without a key', async () => {
      await settled(`nobody-${way}`);
    });

    test('of an ended lane are consumed by nobody', async () => {
      await queues.publishLate(`each.${way}`, `dead-${way}`, 'k9');
      await queues.publishLate(`one.${way}`, `dead-${way}`, 'k9');
      await settled(`after-dead-${way}`);
      expect(queues.given).toContain(`after-dead-${way}-each`);
      expect(queues.given).not.toContain(`dead-${way}`);
    });
  });

  describe('of a JetStream stream', () => {
    test('are consumed by exactly one side, and those of an ended lane by nobody', async () => {
      for (const key of ['k1', 'k2', 'k3']) await queues.publish('jobs', `job-${key}`, key);
      await queues.publishLate('jobs', 'job-dead', 'k9');
      await queues.publish('jobs', 'job-last');
      expect(await queues.whoGot('job-k1', 1)).toEqual(['candidate-k1/k1']);
      expect(await queues.whoGot('job-k2', 1)).toEqual(['candidate-k2/k2']);
      const baseline = (key: string) => [expect.stringMatching(new RegExp(`^[ab]/${key}$`))];
      expect(await queues.whoGot('job-k3', 1)).toEqual(baseline('k3'));
      expect(await queues.whoGot('job-last', 1)).toEqual(baseline('null'));
      expect(queues.given.filter((text) => text.startsWith('job-')).sort()).toEqual([
        'job-k1',
        'job-k2',
        'job-k3',
        'job-last',
      ]);
    });

    test("cannot be pulled by a candidate from the baseline's consumer", async () => {
      for (const key of ['k1', 'k2']) {
        const start = `candidate-${key}: `;
        const told = await until('it is refused', () =>
          queues.given.find((text) => text.startsWith(start)),
        );
        expect(told).toBe(
          `${start}The JetStream consumer workers has the baseline's work. In a lane use one of ` +
            `its own: ownName('workers') of surety/queue, which is workers-${key}.`,
        );
      }
    });
  });

  test('that request a reply get one from the side that they address', async () => {
    const answer = async (key?: string): Promise<string> =>
      (await queues.ask('/request?subject=ask', key)).text();
    expect(await answer('k1')).toBe('candidate-k1');
    expect(await answer('k2')).toBe('candidate-k2');
    expect(await answer('k3')).toMatch(/^[ab]$/);
    expect(await answer()).toMatch(/^[ab]$/);
  });

  test('that a candidate sends on its own stay in its lane', async () => {
    expect(await queues.whoGot('started-candidate-k1', 1)).toEqual(['candidate-k1/k1']);
    expect(await queues.whoGot('started-publisher', 2)).toEqual(['a/null', 'b/null']);
  });

  test('appear as hops of the lane with their consumer and their content', async () => {
    const said = '{"total":29.99}';
    await queues.publish('one.callback', encodeURIComponent(said), 'k1');
    await queues.whoGot(said, 1);
    const { hops } = await queues.scene.router.hops('k1');
    const messages = hops.filter(({ protocol }) => protocol === 'message');
    expect(messages).toContainEqual(
      expect.objectContaining({
        from: 'publisher',
        to: 'worker',
        path: 'one.callback',
        instance: 'worker/lane_k1/1',
        served: 'worker/lane_k1/1',
        requestBody: { total: 29.99 },
      }),
    );
    expect(new Set(messages.map(({ served }) => served))).toEqual(new Set(['worker/lane_k1/1']));
  });
});
