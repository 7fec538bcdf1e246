import type { Command } from '../../command.ts';

const file = ['[file]', 'a policy document (default: that of surety.yaml)'] as const;
const tools = ['[tool...]', 'only these tools (default: the whole policy)'] as const;

/** Commands from observe mode to a tested and enforced policy. */
export const policyCommands: readonly Command[] = [
  {
    name: 'policy show',
    summary: 'Show the policy in force, since when, and mistakes in the file on disk',
    examples: ['surety policy show', 'surety policy show --json'],
    load: async () => (await import('./show.ts')).run,
  },
  {
    name: 'policy check',
    summary: 'Find mistakes in a policy, and rules that may not mean what you intend',
    arguments: [file],
    options: [['--notes', 'also show notes']],
    examples: ['surety policy check', 'surety policy check new.yaml --json'],
    load: async () => (await import('./check.ts')).run,
  },
  {
    name: 'policy test',
    summary: 'Run the test cases of a policy',
    arguments: [file],
    options: [['--cases <file>', 'the cases (default: <policy>.cases.yaml or cases.yaml)']],
    examples: ['surety policy test', 'surety policy test policy.yaml --cases hostile.yaml'],
    load: async () => (await import('./run-cases.ts')).run,
  },
  {
    name: 'policy diff',
    summary: 'Show which past decisions another policy would have made differently',
    arguments: [['<file>', 'the other policy']],
    options: [['--since <when>', 'a time, or a duration such as 7d (default: everything)']],
    examples: ['surety policy diff new.yaml', 'surety policy diff new.yaml --since 7d --json'],
    load: async () => (await import('./diff.ts')).run,
  },
  {
    name: 'policy draft',
    summary: 'Draft contracts and agents from observed calls, with the evidence for each part',
    options: [
      ['--output <file>', 'the file to write (default: standard output)'],
      ['--force', 'replace an existing file'],
    ],
    examples: ['surety policy draft', 'surety policy draft --output drafted.yaml'],
    load: async () => (await import('./draft.ts')).run,
  },
  {
    name: 'policy adopt',
    summary: 'Put the policy on disk in force, also if another daemon has replaced it',
    examples: ['surety policy adopt'],
    load: async () => (await import('./show.ts')).adoptPolicy,
  },
  {
    name: 'policy enforce',
    summary: 'Enforce a policy from now on: deny what it does not allow',
    arguments: [tools],
    examples: ['surety policy enforce order.get', 'surety policy enforce'],
    load: async () => (await import('./mode.ts')).enforcePolicy,
  },
  {
    name: 'policy observe',
    summary: 'Observe from now on: record decisions and deny nothing',
    arguments: [tools],
    examples: ['surety policy observe refund.issue'],
    load: async () => (await import('./mode.ts')).observePolicy,
  },
  {
    name: 'plan check',
    summary: 'Decide a sequence of proposals before anything runs',
    arguments: [['<plan>', 'JSON: a list of {tool, arguments, task}; - for standard input']],
    options: [['--agent <name>', 'for this agent (default: you)']],
    examples: ['surety plan check plan.json --agent ada'],
    load: async () => (await import('./plan-check.ts')).run,
  },
];
