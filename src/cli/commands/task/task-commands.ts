import type { Command } from '../../command.ts';

const delegate = 'Open, split and finish tasks';

const task = ['<task>', 'its id'] as const;
const goal = ['<goal>', 'what shall be achieved'] as const;

/** What a task is given; the rest is as its parent or its owner has it. */
const given = [
  ['--budget <name=amount,…>', 'what it may use, e.g. money=50000,calls=20 (minor units)'],
  ['--tools <pattern,…>', 'which tools'],
  ['--resources <pattern,…>', 'which resources'],
  ['--phases <name,…>', 'phases, in their order'],
  ['--minutes <count>', 'how long it lives'],
  ['--agent <name>', 'who works on it (you)'],
] as const;

export const taskCommands: readonly Command[] = [
  {
    name: 'task open',
    group: delegate,
    summary: 'Open a task, on the running version if there are services',
    arguments: [goal],
    options: [...given, ['--plain', 'not about a change, although there are services']],
    examples: [
      'surety task open "amounts as printed on statements"',
      'surety task open "refunds of today" --plain --agent clerk --budget money=50000,calls=200',
    ],
    load: () => import('./open.ts'),
  },
  {
    name: 'task split',
    group: delegate,
    summary: 'Split a task off, with a part of what the other has left',
    arguments: [['<task>', 'whose part it is'], goal],
    options: given,
    examples: ['surety task split task_01K9… "order 7" --agent helper --budget money=5000'],
    load: () => import('./split.ts'),
  },
  {
    name: 'task list',
    group: delegate,
    summary: 'Show the open tasks, those that end soonest first',
    examples: ['surety task list', 'surety task list --json'],
    load: () => import('./list.ts'),
  },
  {
    name: 'task show',
    group: delegate,
    summary: 'Show where a task stands, what it has left, and what is below it',
    arguments: [task],
    examples: ['surety task show task_01K9…'],
    load: () => import('./show.ts'),
  },
  {
    name: 'task move',
    group: delegate,
    summary: 'Take a task to its next phase',
    arguments: [task, ['<phase>', 'the next one']],
    examples: ['surety task move task_01K9… review'],
    load: () => import('./move.ts'),
  },
  {
    name: 'task finish',
    group: delegate,
    summary: 'Finish a task; what it has left returns to the one above',
    arguments: [task, ['[result]', 'its result, in JSON or as a text']],
    examples: [
      'surety task finish task_01K9… "paid"',
      `surety task finish task_01K9… '{"order":"o7"}'`,
    ],
    load: () => import('./finish.ts'),
  },
  {
    name: 'task cancel',
    group: delegate,
    summary: 'Cancel a task and everything below it',
    arguments: [task],
    options: [['--reason <text>', 'why; goes into the ledger']],
    examples: ['surety task cancel task_01K9… --reason "the order was withdrawn"'],
    load: () => import('./cancel.ts'),
  },
];
