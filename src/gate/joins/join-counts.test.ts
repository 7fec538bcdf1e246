import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import { type Actor, isFault } from '../../kernel/index.ts';
import { cancelTask, finishTask, openTask, splitTask } from '../tasks/index.ts';
import { ada, bob, eve, RealGate } from '../tasks/real-gate.fixture.ts';
import type { JoinRequest, JoinRow } from './api-schema.ts';
import { findJoin, gradeTask, openJoin } from './commands.ts';
import { joinKey } from './join-row.ts';
import { judgeJoin } from './judge-join.ts';

const steps = fc.array(
  fc.record({
    child: fc.nat(3),
    what: fc.constantFrom<string>('finish', 'finish', 'cancel', 'accept', 'refuse'),
  }),
  { maxLength: 10 },
);
const request: fc.Arbitrary<JoinRequest> = fc.oneof(
  fc.record({ mode: fc.constantFrom('all', 'any'), graded: fc.boolean() }),
  fc.record({ mode: fc.constant('quorum' as const), count: fc.integer({ min: 1, max: 4 }) }),
);

const each = (what: string, count: number) =>
  Array.from({ length: count }, (_, child) => ({ child, what }));

const examples: [JoinRequest, { child: number; what: string }[]][] = [
  [{ mode: 'quorum', count: 2 }, each('finish', 2)],
  [{ mode: 'quorum', count: 2 }, each('cancel', 3)],
  [
    { mode: 'any', graded: true },
    [...each('finish', 2), ...each('refuse', 1), ...each('accept', 1)],
  ],
];

test('a join is settled by the very step after which a look at all children says so', async () => {
  await fc.assert(
    fc.asyncProperty(request, steps, async (wanted, done) => {
      const real = await RealGate.open();
      const { deps } = real;
      const { task: root } = await openTask(ada, { goal: 'ship it' }, deps);
      const children: string[] = [];
      for (let index = 0; index < 4; index++) {
        children.push((await splitTask(ada, root, { goal: 'part', agent: bob }, deps)).task);
      }
      const { join } = await openJoin(ada, root, wanted, deps);
      const grade = (task: string, accepted: boolean) =>
        gradeTask(eve, task, { accepted, reason: 'looked' }, deps);
      const kinds: Record<string, (task: string) => Promise<unknown>> = {
        finish: (task) => finishTask(bob, task, 'done', deps),
        cancel: (task) => cancelTask(bob as Actor, task, 'cannot', deps),
        accept: (task) => grade(task, true),
        refuse: (task) => grade(task, false),
      };
      for (const { child, what } of done) {
        await kinds[what]?.(children[child] as string).catch((error) => {
          if (!isFault(error)) throw error;
        });
        const { state } = await findJoin(join, deps);
        if (state !== 'waiting') break;
        expect((await ruling(join, real)).state).toBe('waiting');
      }
      expect(await real.close()).toMatchObject({ different: 0, differences: [] });
    }),
    { numRuns: runs(examples.length, 300), examples },
  );
});

function ruling(join: string, { gate }: RealGate): Promise<{ state: string }> {
  return gate.ledger.transact({
    keys: [joinKey(join)],
    decide: (rows, now) => {
      const { state } = judgeJoin(rows.get<JoinRow>(joinKey(join)) as JoinRow, rows, now);
      return { drafts: [], result: () => ({ state }) };
    },
  });
}
