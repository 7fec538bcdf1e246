import { expect, test } from 'vitest';
import { type KeptProcess, stateOf } from './kept-process.ts';

const exit = { code: null, signal: null };

test.each<[string, Partial<KeptProcess>, string]>([
  ['was stopped is stopped', { exit: { ...exit, reason: 'stopped' } }, 'stopped'],
  ['vanished with its keeper is stopped', { exit: { ...exit, reason: 'lost' } }, 'stopped'],
  ['exited by itself has ended', { exit: { ...exit, code: 1, reason: 'exited' } }, 'ended'],
  ['used too much memory has ended', { exit: { ...exit, reason: 'over-memory' } }, 'ended'],
  [
    'is about to be started again',
    { exit: { ...exit, reason: 'lost' }, restartAt: 5 },
    'restarting',
  ],
  [
    'runs, and crashed before',
    { state: 'running', lastExit: { ...exit, reason: 'exited' } },
    'running',
  ],
])('a process that %s', (_, more, state) => {
  const kept: KeptProcess = {
    name: 'orders.run_1',
    pid: 2,
    startedAt: 1,
    state: 'exited',
    exit: null,
    lastExit: null,
    restarts: 0,
    restartAt: null,
    ...more,
  };
  expect(stateOf(kept)).toMatchObject({ state });
});
