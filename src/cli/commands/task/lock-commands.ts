import type { Command } from '../../command.ts';

const lock = ['<lock>', 'its name, such as staging-database'] as const;
const fence = ['<fence>', 'the fencing token from surety lock acquire'] as const;

export const lockCommands: readonly Command[] = [
  {
    name: 'lock acquire',
    summary: 'Take a named lock, and wait in its queue if others hold it',
    arguments: [lock],
    options: [
      ['--slots <count>', 'holders at the same time (default: 1)'],
      ['--lease <seconds>', 'how long it is held without being renewed (default: 60)'],
      ['--priority <0-9>', 'a step is worth 10 s of waiting (default: 0)'],
      ['--task <task>', 'the task that holds it (default: you)'],
      ['--no-wait', 'fail if others hold it'],
    ],
    examples: [
      'surety lock acquire staging-database --lease 300',
      'surety lock acquire browsers --slots 3 --no-wait',
    ],
    load: async () => (await import('./locks.ts')).acquireLock,
  },
  {
    name: 'lock release',
    summary: 'Give a lock back; the next one in the queue gets it',
    arguments: [lock, fence],
    examples: ['surety lock release staging-database 7'],
    load: async () => (await import('./locks.ts')).releaseLock,
  },
  {
    name: 'lock renew',
    summary: 'Extend the lease of a lock',
    arguments: [lock, fence],
    options: [['--lease <seconds>', 'from now on (default: 60)']],
    examples: ['surety lock renew staging-database 7 --lease 300'],
    load: async () => (await import('./locks.ts')).renewLock,
  },
  {
    name: 'lock check',
    summary: 'Check that a fence is the current one, before writing under a lock',
    arguments: [lock, fence],
    examples: ['surety lock check staging-database 7 && ./migrate.sh'],
    load: async () => (await import('./locks.ts')).checkLock,
  },
  {
    name: 'lock list',
    summary: 'Show who holds locks and who waits for them',
    examples: ['surety lock list', 'surety lock list --json'],
    load: async () => (await import('./locks.ts')).listLocks,
  },
];
