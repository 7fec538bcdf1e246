import { expect, test } from 'vitest';
import { confinementLimits } from '../../confinement/index.ts';
import { laneLimits } from '../limits.ts';
import { boundsOf, type KeptProcess, stateOf } from './kept-process.ts';

const exit = { code: null, signal: null };

test.each<[string, Partial<KeptProcess>, string]>([
  ['was stopped is reported as stopped', { exit: { ...exit, reason: 'stopped' } }, 'stopped'],
  [
    'ended when its machine was restarted is reported as stopped',
    { exit: { ...exit, reason: 'rebooted' } },
    'stopped',
  ],
  [
    'ended while no keeper ran is reported as ended',
    { exit: { ...exit, reason: 'lost' } },
    'ended',
  ],
  [
    'exited by itself is reported as ended',
    { exit: { ...exit, code: 1, reason: 'exited' } },
    'ended',
  ],
  [
    'used too much memory is reported as ended',
    { exit: { ...exit, reason: 'over-memory' } },
    'ended',
  ],
  [
    'waits for its restart is reported as restarting',
    { exit: { ...exit, reason: 'lost' }, restartAt: 5 },
    'restarting',
  ],
  [
    'waits for the last of its quick restarts is reported as restarting',
    {
      exit: { ...exit, code: 1, reason: 'exited' },
      restarts: laneLimits.serviceRestartsMax - 1,
      restartAt: 5,
    },
    'restarting',
  ],
  [
    'crashed too often in a row is reported as ended, although it is started again',
    {
      exit: { ...exit, code: 1, reason: 'exited' },
      restarts: laneLimits.serviceRestartsMax,
      restartAt: 5,
    },
    'ended',
  ],
  [
    'runs again after a crash is reported as running',
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

test('a confined process is bounded also where nothing is declared', () => {
  expect(boundsOf({}, false)).toBeNull();
  expect(boundsOf({}, true)).toEqual({
    cpu: null,
    memoryMb: confinementLimits.confinedMemoryMb,
    // Bubblewrap itself is two processes.
    processes: confinementLimits.confinedProcesses + 2,
    diskMb: confinementLimits.confinedDiskMb,
  });
  expect(boundsOf({ memoryMb: 64, processes: 1 }, true)).toMatchObject({
    memoryMb: 64,
    processes: 3,
  });
});
