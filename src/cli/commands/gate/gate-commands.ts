import type { Command } from '../../command.ts';

export const guard = 'Guard actions';

const proposal = ['<proposal>', 'its id, as an answer or the ledger gives it'] as const;
const approval = ['<approval>', 'its id, as surety approvals gives it'] as const;

/** What was proposed, what waits for a person, what is stopped and what is left. */
export const gateCommands: readonly Command[] = [
  {
    name: 'contracts',
    group: guard,
    summary: 'Show the tools with a contract: effect, mode, rules',
    examples: ['surety contracts', 'surety contracts --json'],
    load: () => import('../policy/contracts.ts'),
  },
  {
    name: 'contracts show',
    group: guard,
    summary: 'Show everything that the contract of a tool says',
    arguments: [['<tool>', 'its name in the policy']],
    examples: ['surety contracts show refund.issue'],
    load: () => import('../policy/contracts-show.ts'),
  },
  {
    name: 'explain',
    group: guard,
    summary: 'Show why a proposal was decided as it was, and what became of it',
    arguments: [proposal],
    examples: ['surety explain prop_01K9…', 'surety explain prop_01K9… --json'],
    load: () => import('./explain.ts'),
  },
  {
    name: 'proposals',
    group: guard,
    summary: 'Show proposals whose outcome is in doubt or has to be put right',
    options: [['--observed', 'instead: what would have been refused if it were enforced']],
    examples: ['surety proposals', 'surety proposals --observed'],
    load: () => import('./proposals.ts'),
  },
  {
    name: 'resolve',
    group: guard,
    summary: 'Say what became of a proposal in doubt, after looking',
    arguments: [proposal],
    options: [
      ['--as <outcome>', 'committed or failed'],
      ['--reason <text>', 'how you know; goes into the ledger'],
    ],
    examples: ['surety resolve prop_01K9… --as committed --reason "paid, see PSP-81"'],
    load: () => import('./resolve.ts'),
  },
  {
    name: 'approvals',
    group: guard,
    summary: 'Show what waits for a person',
    arguments: [['[approval]', 'only this one, answered or not']],
    examples: ['surety approvals', 'surety approvals appr_5f2b…'],
    load: () => import('./approvals.ts'),
  },
  {
    name: 'approve',
    group: guard,
    summary: 'Let exactly these arguments through, once',
    arguments: [approval],
    options: [
      ['--hash <hash>', 'of the arguments that you saw; then nothing is asked'],
      ['--reason <text>', 'goes into the ledger'],
      ['--yes', 'do not ask'],
    ],
    examples: ['surety approve appr_5f2b…', 'surety approve appr_5f2b… --hash 9f86d081… --json'],
    load: () => import('./approve.ts'),
  },
  {
    name: 'refuse',
    group: guard,
    summary: 'Refuse what waits for a person',
    arguments: [approval],
    options: [['--reason <text>', 'told to the agent, and goes into the ledger']],
    examples: ['surety refuse appr_5f2b… --reason "the customer withdrew it"'],
    load: () => import('./refuse.ts'),
  },
  {
    name: 'stop',
    group: guard,
    summary: 'Stop everything that agents do, one agent or one tool, at once',
    arguments: [['[scope]', 'workspace (unless told), agent:<name> or tool:<tool>']],
    options: [
      ['--lift <scope>', 'let it go on again'],
      ['--reason <text>', 'told to whoever runs into it, and goes into the ledger'],
    ],
    examples: [
      'surety stop --reason "INC-81"',
      'surety stop tool:refund.issue --reason "double payouts"',
      'surety stop --lift tool:refund.issue --reason "fixed"',
    ],
    load: () => import('./stop.ts'),
  },
  {
    name: 'stops',
    group: guard,
    summary: 'Show what is stopped, by whom and why',
    examples: ['surety stops --json'],
    load: () => import('./stops.ts'),
  },
  {
    name: 'budgets',
    group: guard,
    summary: 'Show what the workspace and each agent have left',
    examples: ['surety budgets --json'],
    load: () => import('./budgets.ts'),
  },
];
