import type { Command } from '../../command.ts';

const proposal = ['<proposal>', 'its id, from an answer or the ledger'] as const;
const approval = ['<approval>', 'its id, from surety approvals'] as const;

/** Commands for proposals, approvals, stops and budgets. */
export const gateCommands: readonly Command[] = [
  {
    name: 'contracts',
    summary: 'Show the tools with a contract: effect, mode, rules',
    examples: ['surety contracts', 'surety contracts --json'],
    load: async () => (await import('../policy/contracts.ts')).listContracts,
  },
  {
    name: 'contracts show',
    summary: 'Show the full contract of a tool',
    arguments: [['<tool>', 'its name in the policy']],
    examples: ['surety contracts show refund.issue'],
    load: async () => (await import('../policy/contracts.ts')).showContract,
  },
  {
    name: 'explain',
    summary: 'Explain the decision on a proposal, and show its outcome',
    arguments: [proposal],
    examples: ['surety explain prop_01K9…', 'surety explain prop_01K9… --json'],
    load: async () => (await import('./explain.ts')).run,
  },
  {
    name: 'proposals',
    summary: 'Show proposals whose outcome is unknown or being recovered',
    options: [['--observed', 'instead: what enforce mode would have denied']],
    examples: ['surety proposals', 'surety proposals --observed'],
    load: async () => (await import('./proposals.ts')).run,
  },
  {
    name: 'resolve',
    summary: 'Resolve a proposal with an unknown outcome, after checking it yourself',
    arguments: [proposal],
    options: [
      ['--as <outcome>', 'committed or failed'],
      ['--reason <text>', 'how you know; recorded in the ledger'],
    ],
    examples: ['surety resolve prop_01K9… --as committed --reason "paid, see PSP-81"'],
    load: async () => (await import('./resolve.ts')).run,
  },
  {
    name: 'approvals',
    summary: 'Show calls that wait for approval',
    arguments: [['[approval]', 'only this approval, answered or not']],
    examples: ['surety approvals', 'surety approvals appr_5f2b…'],
    load: async () => (await import('./answer-approvals.ts')).showApprovals,
  },
  {
    name: 'approve',
    summary: 'Approve a held call: exactly these arguments, once',
    arguments: [approval],
    options: [
      ['--hash <hash>', 'the hash of the arguments that you saw; skips the question'],
      ['--reason <text>', 'why; recorded in the ledger'],
      ['--yes', 'skip the question'],
    ],
    examples: ['surety approve appr_5f2b…', 'surety approve appr_5f2b… --hash 9f86d081… --json'],
    load: async () => (await import('./answer-approvals.ts')).approve,
  },
  {
    name: 'refuse',
    summary: 'Refuse a held call',
    arguments: [approval],
    options: [['--reason <text>', 'shown to the agent and recorded in the ledger']],
    examples: ['surety refuse appr_5f2b… --reason "the customer withdrew it"'],
    load: async () => (await import('./answer-approvals.ts')).refuse,
  },
  {
    name: 'stop',
    summary: 'Stop all agents, one agent or one tool, at once',
    arguments: [['[scope]', 'workspace (default), agent:<name> or tool:<tool>']],
    options: [
      ['--lift <scope>', 'lift this stop'],
      ['--reason <text>', 'shown in denials and recorded in the ledger'],
    ],
    examples: [
      'surety stop --reason "INC-81"',
      'surety stop tool:refund.issue --reason "double payouts"',
      'surety stop --lift tool:refund.issue --reason "fixed"',
    ],
    load: async () => (await import('./stop-agents.ts')).stop,
  },
  {
    name: 'stops',
    summary: 'Show what is stopped, by whom and why',
    examples: ['surety stops --json'],
    load: async () => (await import('./stop-agents.ts')).listStops,
  },
  {
    name: 'budgets',
    summary: 'Show what is left of the budgets of the workspace and each agent',
    examples: ['surety budgets --json'],
    load: async () => (await import('./budgets.ts')).run,
  },
  {
    name: 'models',
    summary: 'Show the models that agents reach through Surety, and the tokens they used',
    examples: ['surety models', 'surety models --json'],
    load: async () => (await import('./models.ts')).run,
  },
  {
    name: 'drift',
    summary: 'Show whether the behaviour of agents drifts, and from what',
    arguments: [['[agent]', 'only this agent, with every distribution and signal']],
    examples: ['surety drift', 'surety drift coder', 'surety drift coder --json'],
    load: async () => (await import('./drift.ts')).showDrift,
  },
  {
    name: 'drift accept',
    summary: 'Take the recent behaviour of an agent as its reference',
    arguments: [['<agent>', 'its name']],
    options: [['--reason <text>', 'why; recorded in the ledger']],
    examples: ['surety drift accept coder --reason "new release flow"'],
    load: async () => (await import('./drift.ts')).acceptDrift,
  },
  {
    name: 'compliance',
    summary: 'Show how agents keep to their contracts',
    arguments: [['[agent]', 'only this agent']],
    options: [['--task <task>', 'instead: the steps of one task']],
    examples: ['surety compliance', 'surety compliance coder --json'],
    load: async () => (await import('./drift.ts')).showCompliance,
  },
];
