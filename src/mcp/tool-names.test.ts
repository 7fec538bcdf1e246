import { expect, test } from 'vitest';
import { fault } from '../kernel/index.ts';
import { refusalOf } from './run-tool.ts';
import { nameTools } from './tool-names.ts';
import { tools } from './tools/index.ts';

const gateNames = [
  'task.open',
  'task.split',
  'task.finish',
  'test.submit',
  'change.propose',
  'task.verify',
  'change.promote',
];

test('every step of the gate has a tool', () => {
  const named = nameTools(gateNames.join(' ')).split(' ');
  expect(Object.keys(tools)).toEqual(expect.arrayContaining(named));
  expect(new Set(named).size).toBe(gateNames.length);
});

test.each([
  ['first: test.submit.', 'first: submit_test.'],
  ['You may use: task.open, task.verify.', 'You may use: open_task, verify_change.'],
  ['latest.submit and test.submitted stay', 'latest.submit and test.submitted stay'],
  ['testXsubmit stays, as does lane.open', 'testXsubmit stays, as does lane.open'],
])('%s', (text, expected) => {
  expect(nameTools(text)).toBe(expected);
});

test('a refusal names what its reader can call, in words and in fields', () => {
  const values = { actor: 'agent:ada', tool: 'change.propose', reason: 'r', remedy: 'test.submit' };
  const { content, structuredContent } = refusalOf(fault('PROPOSAL_DENIED', values), 'x');
  expect(content).toMatchObject([{ text: expect.stringContaining('Try: submit_test') }]);
  expect(structuredContent).toMatchObject({
    message: 'agent:ada may not use propose_change: r.',
    remedy: 'submit_test',
  });
});
