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
  ['--lease <seconds>', 'its agent must do something for it within this time, again and again'],
  ['--on-lost <rule>', 'cancel, ask or replace, if its agent does not (default: cancel)'],
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
    name: 'task tree',
    summary: 'Draw a task and everything below it, with joins and grades',
    arguments: [task],
    examples: ['surety task tree task_01K9…', 'surety task tree task_01K9… --json'],
    load: async () => (await import('./task-tree.ts')).drawTaskTree,
  },
  {
    name: 'task join',
    summary: 'Wait for child tasks: all, any, a quorum, or the first verified one',
    arguments: [['<task>', 'the parent']],
    options: [
      ['--mode <mode>', 'all, any, quorum or first-verified (default: all)'],
      ['--count <number>', 'how many have to count, with --mode quorum'],
      ['--children <task,…>', 'child tasks (default: the open ones)'],
      ['--evidence <kind,…>', 'evidence that must exist about each child'],
      ['--graded', 'another agent than its author must have accepted each result'],
      ['--cancel-rest', 'cancel the children that are still open at the end'],
      ['--seconds <count>', 'the deadline'],
      ['--no-wait', 'open the join and return'],
    ],
    examples: [
      'surety task join task_01K9… --mode quorum --count 2 --graded --seconds 600',
      'surety task join task_01K9… --mode first-verified --evidence tests-passed --cancel-rest',
    ],
    load: async () => (await import('./joins.ts')).joinTasks,
  },
  {
    name: 'task grade',
    summary: 'Accept or refuse the result of a finished task; never your own',
    arguments: [task, ['<accept|refuse>', 'the grade']],
    options: [['--reason <text>', 'why; recorded in the ledger']],
    examples: ['surety task grade task_01K9… refuse --reason "the total is wrong"'],
    load: async () => (await import('./joins.ts')).gradeTask,
  },
  {
    name: 'task renew',
    summary: 'Say that the agent of a task with a lease is still there',
    arguments: [task],
    examples: ['surety task renew task_01K9…'],
    load: async () => (await import('./tasks.ts')).renewTask,
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
