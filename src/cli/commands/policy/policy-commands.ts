import type { Command } from '../../command.ts';
import { guard } from '../gate/gate-commands.ts';

const file = ['[file]', 'a policy document; that of surety.yaml if left out'] as const;
const tools = ['[tool...]', 'only these tools; the whole policy if left out'] as const;

/** From observing to a policy that is tested, understood and enforced. */
export const policyCommands: readonly Command[] = [
  {
    name: 'policy show',
    group: guard,
    summary: 'Show which policy is in force, since when, and what is wrong on disk',
    examples: ['surety policy show', 'surety policy show --json'],
    load: () => import('./show.ts'),
  },
  {
    name: 'policy check',
    group: guard,
    summary: 'Find what a policy says and may not mean',
    arguments: [file],
    options: [['--notes', 'show what is only to be known, too']],
    examples: ['surety policy check', 'surety policy check new.yaml --json'],
    load: () => import('./check.ts'),
  },
  {
    name: 'policy test',
    group: guard,
    summary: 'Run the cases beside a policy',
    arguments: [file],
    options: [['--cases <file>', 'the cases; <policy>.cases.yaml or cases.yaml if left out']],
    examples: ['surety policy test', 'surety policy test policy.yaml --cases hostile.yaml'],
    load: () => import('./run-cases.ts'),
  },
  {
    name: 'policy diff',
    group: guard,
    summary: 'Show which past decisions another policy would have made differently',
    arguments: [['<file>', 'the other policy']],
    options: [['--since <when>', 'a time, or a duration such as 7d; all of it if left out']],
    examples: ['surety policy diff new.yaml', 'surety policy diff new.yaml --since 7d --json'],
    load: () => import('./diff.ts'),
  },
  {
    name: 'policy draft',
    group: guard,
    summary: 'Write contracts and agents for what was seen, with the support for each part',
    options: [
      ['--output <file>', 'where to; standard output if left out'],
      ['--force', 'replace a file that is there'],
    ],
    examples: ['surety policy draft', 'surety policy draft --output drafted.yaml'],
    load: () => import('./draft.ts'),
  },
  {
    name: 'policy enforce',
    group: guard,
    summary: 'Refuse from now on what a policy does not allow',
    arguments: [tools],
    examples: ['surety policy enforce order.get', 'surety policy enforce'],
    load: () => import('./enforce.ts'),
  },
  {
    name: 'policy observe',
    group: guard,
    summary: 'Only record and judge from now on; refuse nothing',
    arguments: [tools],
    examples: ['surety policy observe refund.issue'],
    load: () => import('./observe.ts'),
  },
  {
    name: 'plan check',
    group: guard,
    summary: 'Judge a sequence of proposals in order, before anything runs',
    arguments: [['<plan>', 'JSON: a list of {tool, arguments, task}; - for standard input']],
    options: [['--agent <name>', 'for this agent; else for you']],
    examples: ['surety plan check plan.json --agent ada'],
    load: () => import('./plan-check.ts'),
  },
];
