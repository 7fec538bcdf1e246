import type { Command } from '../../command.ts';

const task = ['<task>', 'its id'] as const;
const goal = ['<goal>', 'what to achieve'] as const;

/** What a task is given; everything else comes from its parent or its owner. */
const given = [
  ['--budget <name=amount,…>', 'what it may spend, e.g. money=50000,calls=20 (minor units)'],
  ['--tools <pattern,…>', 'tools that it may use'],
  ['--resources <pattern,…>', 'resources that it may touch'],
  ['--phases <name,…>', 'phases, in order'],
  ['--minutes <count>', 'its lifetime'],
  ['--agent <name>', 'the agent that works on it (default: you)'],
] as const;

export const taskCommands: readonly Command[] = [
  {
    name: 'task open',
    summary: 'Open a task; with services, a task to change the baseline',
    arguments: [goal],
    options: [...given, ['--plain', 'not a task to change the baseline']],
    examples: [
      'surety task open "amounts as printed on statements"',
      'surety task open "refunds of today" --plain --agent clerk --budget money=50000,calls=200',
    ],
    load: async () => (await import('./tasks.ts')).openTask,
  },
  {
    name: 'task split',
    summary: 'Create a child task with a share of what its parent has left',
    arguments: [['<task>', 'the parent'], goal],
    options: given,
    examples: ['surety task split task_01K9… "order 7" --agent helper --budget money=5000'],
    load: async () => (await import('./tasks.ts')).splitTask,
  },
  {
    name: 'task list',
    summary: 'Show the open tasks; those that expire first come first',
    examples: ['surety task list', 'surety task list --json'],
    load: async () => (await import('./tasks.ts')).listTasks,
  },
  {
    name: 'task show',
    summary: 'Show the state of a task, what it has left, and its child tasks',
    arguments: [task],
    examples: ['surety task show task_01K9…'],
    load: async () => (await import('./tasks.ts')).showTaskTree,
  },
  {
    name: 'task move',
    summary: 'Move a task to its next phase',
    arguments: [task, ['<phase>', 'the next phase']],
    examples: ['surety task move task_01K9… review'],
    load: async () => (await import('./tasks.ts')).moveTask,
  },
  {
    name: 'task finish',
    summary: 'Finish a task; what it has left returns to its parent',
    arguments: [task, ['[result]', 'its result, as JSON or text']],
    examples: [
      'surety task finish task_01K9… "paid"',
      `surety task finish task_01K9… '{"order":"o7"}'`,
    ],
    load: async () => (await import('./tasks.ts')).finishTask,
  },
  {
    name: 'task cancel',
    summary: 'Cancel a task and everything below it',
    arguments: [task],
    options: [['--reason <text>', 'why; recorded in the ledger']],
    examples: ['surety task cancel task_01K9… --reason "the order was withdrawn"'],
    load: async () => (await import('./tasks.ts')).cancelTask,
  },
];
