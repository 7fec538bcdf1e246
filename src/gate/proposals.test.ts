import { expect, test } from 'vitest';
import { isOver, isSettled, type ProposalRow } from './proposals.ts';

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
test.each<[string, Partial<ProposalRow>, { isOver: boolean; isSettled: boolean }]>([
  ['runs', { status: 'executing', outcomeSeq: 0 }, { isOver: false, isSettled: false }],
  ['is being recovered', { recovery: 1 }, { isOver: false, isSettled: false }],
  ['waits for a person', { recovery: 1, found: 'held' }, { isOver: true, isSettled: false }],
  ['ended unknown', {}, { isOver: true, isSettled: false }],
  ['is committed', { status: 'committed' }, { isOver: true, isSettled: true }],
  ['failed', { status: 'failed' }, { isOver: true, isSettled: true }],
])('says of a proposal that %s whether its outcome is final and known', (_, part, expected) => {
  const proposal = { ...row, ...part };
  expect({ isOver: isOver(proposal), isSettled: isSettled(proposal) }).toEqual(expected);
});
