import { expect, test } from 'vitest';
import { isLost, isOver, type ProposalRow } from './proposals.ts';

const row: ProposalRow = {
  proposal: 'prop_1',
  actor: 'agent:ada',
  tool: 'pay',
  status: 'unknown',
  argumentsHash: '',
  executor: 'exec_1',
  grantSeq: 1,
  outcomeSeq: 2,
  expiresAt: 0,
  charges: [],
  leases: [],
  recovery: null,
  found: null,
};

// proves: gate.recovery-finishes
test.each<[string, Partial<ProposalRow>, { isOver: boolean; isLost: boolean }]>([
  ['runs', { status: 'executing', outcomeSeq: 0 }, { isOver: false, isLost: false }],
  ['is being recovered', { recovery: 1 }, { isOver: false, isLost: false }],
  ['waits for a person', { recovery: 1, found: 'held' }, { isOver: true, isLost: false }],
  ['ended unknown', {}, { isOver: true, isLost: true }],
  ['is committed', { status: 'committed' }, { isOver: true, isLost: false }],
  ['failed', { status: 'failed' }, { isOver: true, isLost: false }],
])(
  'says of a proposal that %s whether its outcome is final, and whether it is lost',
  (_, part, expected) => {
    const proposal = { ...row, ...part };
    expect({ isOver: isOver(proposal), isLost: isLost(proposal) }).toEqual(expected);
  },
);
