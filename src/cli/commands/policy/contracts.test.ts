import { expect, test } from 'vitest';
import { contractLines } from './contracts.ts';

test('the lines of a contract describe each of its parts in words', () => {
  const lines = contractLines({
    effect: 'mutating',
    arguments: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'string', maxLength: 20 },
        kind: { type: 'string', enum: ['a', 'b'] },
      },
    },
    reads: { order: { tool: 'order.get', with: { id: 'arguments.id' } } },
    preconditions: [{ rule: 'open', that: 'reads.order.open', message: 'It is closed.' }],
    invariants: [{ rule: 'nice', that: 'true', soft: true }],
    governance: { cost: { money: '5' }, rate: [{ max: 1, per: '1m' }], timeout: '5s' },
    recovery: { steps: [{ retry: { times: 2 } }, { hold: { reason: 'look' } }] },
  });
  expect(lines).toEqual([
    {
      title: 'arguments',
      lines: ['id: string, maxLength 20', 'kind (optional): string, enum a; b'],
    },
    { title: 'reads before it is decided', lines: ['order = order.get(id: arguments.id)'] },
    { title: 'preconditions', lines: ['open: reads.order.open  — It is closed.'] },
    { title: 'invariants', lines: ['nice (warns only): true'] },
    { title: 'governance', lines: ['cost: money 5', 'rate: max 1, per 1m', 'timeout: 5s'] },
    {
      title: 'recovery, when its outcome is in doubt',
      lines: ['1. retry: times 2', '2. hold: reason look'],
    },
  ]);
});

test('an empty contract has no lines', () => {
  expect(contractLines({ effect: 'read', arguments: { type: 'object' } })).toEqual([]);
});
