import { expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { EffectServer } from './harness/gate/effect-server.ts';
import { problemsOf } from './harness/gate/gate-check.ts';
import { finish } from './harness/gate/gate-crash-run.ts';
import { type GatePlace, openReaderAt } from './harness/gate/gate-place.ts';
import type { Wish } from './harness/gate/gate-plan.ts';
import { startGate } from './harness/gate/gate-start.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';
import { Scratch } from './harness/scratch.ts';
import { until } from './harness/until.ts';

const wish = (id: string): Wish => ({
  id,
  agent: 'bob',
  tool: 'pay.outside',
  order: 'order-1',
  amount: 100,
  mode: 'ok',
  task: 'none',
});

/** Whether the first holder was stopped before its call, or when it had been made. */
const stops = [
  ['before', 'failed', 0],
  ['after', 'committed', 1],
] as const;

// proves: gate.slots, kernel.lease
test.each(stops.filter(([at]) => isDeep || at === 'after'))(
  'a holder paused %s its effect, past its lease, learns that it lost the lease',
  async (at, status, effects) => {
    using scratch = new Scratch();
    await using server = await EffectServer.start();
    const postgresUrl = await freshDatabase();
    const place = (executor: string): GatePlace => ({
      directory: scratch.path,
      postgresUrl,
      executor,
    });
    // Blind: the second would find the first one's grant ended, and put it right before it is back.
    // The lease is long enough for all that the second does on a busy machine.
    const common = { seed: 0, effectsUrl: server.url, lease: '3s', isBlind: true };
    const crash = { at, of: 'POST /effects', nth: 1, signal: 'SIGSTOP' } as const;
    const first = startGate({ ...common, place: place('first'), crash, wishes: [wish('a')] });
    await until('the first is stopped', () => first.said.some(({ killed }) => killed));
    try {
      const next = startGate({
        ...common,
        place: place('second'),
        crash: null,
        wishes: [wish('b')],
      });
      const { said: second } = await next.ended;
      expect(second).toContainEqual({ told: { id: 'b', status: 'committed', code: '' } });
    } finally {
      process.kill(first.pid, 'SIGCONT');
    }
    const { said } = await first.ended;
    expect(said).toContainEqual({ told: { id: 'a', status: 'refused', code: 'LEASE_LOST' } });
    expect(Object.values(await server.counts())).toEqual(Array(1 + effects).fill(1));

    const told = said.flatMap((line) => line.told ?? []);
    const wishes = [wish('a'), wish('b')];
    await finish(place('first'), [wish('a')], server.url, told);
    expect(told.at(-1)).toMatchObject({ id: 'a', status });
    const reader = await openReaderAt(place('first'));
    const lost = [];
    for await (const page of reader.scanEntries(0)) {
      lost.push(...page.filter(({ body }) => JSON.parse(body).code === 'LEASE_LOST'));
    }
    expect(lost).toMatchObject([{ kind: 'proposal-unknown', actor: 'agent:bob' }]);
    const found = { wishes, told, effects: await server.counts() };
    expect(await problemsOf(reader, found).finally(() => reader.close())).toEqual([]);
  },
);
