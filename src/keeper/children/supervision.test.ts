import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ChildRecord } from './child.ts';
import { Supervision, type SupervisionDeps } from './supervision.ts';

/** More than any machine gives away. */
const nobody = 4_194_304;

test.each<[string, number, number | null]>([
  ['waits for its next start', 0, 1_100],
  ['is given up', 3, null],
])('saves the final state of a child that ended: it %s', async (_, restarts, at) => {
  const directory = mkdtempSync(join(tmpdir(), 'supervision-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const logFile = join(directory, 'orders.log');
  writeFileSync(logFile, '');
  const saved: Partial<ChildRecord>[] = [];
  const deps = {
    clock: { now: () => 1_000 },
    log: () => undefined,
    sweeper: { clear: async () => undefined },
    save: async () => {
      const { state, restartAt } = child.record;
      saved.push({ state, restartAt });
    },
  } as unknown as SupervisionDeps;
  const record = {
    ...{ name: 'orders', instance: '0123456789abcdef', pid: nobody, startTicks: 1, startedAt: 999 },
    ...{ state: 'running', exit: null, logFile, stopGraceMs: 0, cgroups: [], restartAt: null },
    ...{ restarts, restart: { backoffMs: 100, most: 3 } },
  } as unknown as ChildRecord;
  const gone = Promise.resolve({ code: 3, signal: null, reason: 'exited' as const });
  const child = new Supervision(record, gone as never, deps);
  await child.ended;
  expect(saved).toEqual([{ state: 'exited', restartAt: at }]);
});
