import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClock, type JsonObject, redactSecrets, systemRandom } from '../../kernel/index.ts';
import { changeId } from '../../lanes/index.ts';
import { type Ledger, openLedger } from '../../ledger/index.ts';
import { testKey } from '../../ledger/ledger.fixture.ts';
import { openSqliteStore } from '../../ledger/sqlite/store.ts';
import { promoteTask, type TaskContext } from '../pipeline/task-steps.ts';
import { disputedFindings } from './disputes.ts';
import { freshPass, passes } from './fresh-pass.ts';
import { judgedChanges } from './judged-changes.ts';

const actor = 'agent:coder';
const hourMs = 60 * 60 * 1_000;
let nowMs = 1_800_000_000_000;
const clock = createClock({ wallMs: () => nowMs, monotonicMs: () => 0 });
const directory = mkdtempSync(join(tmpdir(), 'surety-pass-'));
let ledger: Ledger;
let passed = 0;

beforeAll(async () => {
  ledger = await openLedger({
    store: openSqliteStore({
      file: join(directory, 'ledger.db'),
      workspace: 'default',
      threads: false,
    }),
    clock,
    random: systemRandom,
    redact: redactSecrets,
    key: testKey(),
    projections: [passes, disputedFindings, judgedChanges],
  });
});
beforeEach(() => {
  passed += 1;
});
afterAll(async () => {
  await ledger.close();
  rmSync(directory, { recursive: true });
});

const patch = (): string => `a change, number ${passed}`;
const record = (kind: string, body: JsonObject) => ledger.append({ kind, actor, body });
const judge = (verdict: string, id: string, more: JsonObject = {}) =>
  record('verdict-reached', {
    verdict,
    id,
    change: changeId({ patch: patch(), base: 'b1' }),
    base: 'b1',
    ...more,
  });
const dispute = (finding: string, days: number) =>
  record('finding-disputed', { finding, reason: 'known', days });
const laterBy = (ms: number) => {
  nowMs += ms;
};

/** Beyond the check there are worktrees: whoever gets there was let through. */
async function promote(verdict: string): Promise<string> {
  const contents = [{ name: 'patch', subject: 'task_1', value: patch() }];
  const [entry] = await ledger.append({ kind: 'change-admitted', actor, body: {}, contents });
  const change = changeId({ patch: patch(), base: 'b1' });
  const task = { task: 'task_1', base: 'b1', change, test: null, verdict, testSeq: 0 };
  const deps = {
    ledger,
    clock,
    config: { promotion: { watchSeconds: 0, passHours: 24 } },
    findTask: async () => ({ ...task, changeSeq: entry?.seq ?? 0 }),
    act: async (_: unknown, run: () => Promise<never>) => ({ value: await run() }),
    promoting: { run: () => Promise.reject(new Error('let through')) },
  };
  return promoteTask(actor, 'task_1', deps as unknown as TaskContext).then(
    () => 'promoted',
    (error) => (error.code ? `${error.code} ${error.values.why}` : error.message),
  );
}

test.each<[string, (id: string) => Promise<unknown>, string]>([
  ['that is new', (id) => judge('pass', id), 'let through'],
  [
    'of the greatest age',
    (id) => judge('pass', id).then(() => laterBy(24 * hourMs)),
    'let through',
  ],
  [
    'that is too old',
    (id) => judge('pass', id).then(() => laterBy(24 * hourMs + 1)),
    'VERDICT_LAPSED it is older than 24 hours',
  ],
  ['that is unknown', async () => undefined, 'VERDICT_LAPSED it is unknown'],
  [
    'that relies on a dispute',
    async (id) => {
      await dispute('fnd_1', 30);
      await judge('pass', id, { disputed: ['fnd_1'] });
    },
    'let through',
  ],
  [
    'whose dispute was withdrawn',
    async (id) => {
      await dispute('fnd_2', 30);
      await judge('pass', id, { disputed: ['fnd_1', 'fnd_2'] });
      await dispute('fnd_2', 0);
    },
    'VERDICT_LAPSED the dispute of fnd_2 has ended',
  ],
  [
    'whose dispute has expired',
    async (id) => {
      await dispute('fnd_3', 1);
      laterBy(23 * hourMs);
      await judge('pass', id, { disputed: ['fnd_3'] });
      laterBy(2 * hourMs);
    },
    'VERDICT_LAPSED the dispute of fnd_3 has ended',
  ],
  [
    'of a change that failed since',
    (id) => judge('pass', id).then(() => judge('fail', 'verdict_later')),
    'VERDICT_LAPSED the same change has failed since, in verdict_later',
  ],
  [
    'of a change that failed since and then was inconclusive',
    async (id) => {
      await judge('pass', id);
      await judge('fail', 'verdict_later');
      await judge('inconclusive', 'verdict_last');
    },
    'VERDICT_LAPSED the same change has failed since, in verdict_later',
  ],
  [
    'of a change that failed before',
    async (id) => {
      await judge('fail', 'verdict_earlier');
      await judge('pass', id);
      await judge('inconclusive', 'verdict_last');
    },
    'let through',
  ],
])(
  'promotion is allowed by a pass, or refused with a reason: a pass %s',
  async (_, before, expected) => {
    const verdict = `verdict_${passed}`;
    await before(verdict);
    const { seq } = await ledger.head();
    expect(await promote(verdict)).toEqual(expected);
    const since = (await ledger.entries(seq + 1, 10)).filter(
      ({ kind }) => kind === 'verdict-lapsed',
    );
    const told = expected === 'let through' ? [] : [{ body: { task: 'task_1', verdict } }];
    expect(since).toMatchObject(told);
  },
);

test.each<[string, JsonObject, string | undefined]>([
  ['of all suites and all traffic', {}, undefined],
  ['of some suites', { suites: ['flow'] }, 'ran some of the suites only'],
  ['without recorded traffic', { recorded: false }, 'left out the recorded traffic'],
])('a pass %s proves a change, or the reason says why not', async (_, more, why) => {
  const verdict = `verdict_whole_${passed}`;
  await judge('pass', verdict, more);
  const change = changeId({ patch: patch(), base: 'b1' });
  const context = { ledger, clock, config: { promotion: { passHours: 24 } } };
  const expected = why === undefined ? { verdict } : { why: `${verdict} ${why}` };
  expect(await freshPass(change, context)).toEqual(expected);
});
