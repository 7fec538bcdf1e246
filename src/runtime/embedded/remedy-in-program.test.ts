import { expect, test } from 'vitest';
import { fault } from '../../kernel/index.ts';
import { remedyInProgram } from './remedy-in-program.ts';

test('the remedy of a held call names what the program itself can do', () => {
  const values = { actor: 'agent:ada', tool: 'pay', role: 'approver', approval: 'apr_1' };
  expect(remedyInProgram(fault('PROPOSAL_HELD', values))).toMatchObject({
    remedy:
      'A person with the role approver answers it in this program: await gate.approve(approval), with one of await gate.approvals(). Then send the same proposal again.',
  });
});

test('other faults and errors stay as they are', () => {
  const other = fault('GATE_CLOSED', {});
  const { remedy } = other;
  expect(remedyInProgram(other)).toMatchObject({ remedy });
  const error = new Error('x');
  expect(remedyInProgram(error)).toBe(error);
});
