import { expect, test } from 'vitest';
import { nameTools, nameToolsIn } from './tool-names.ts';
import { tools } from './tools.ts';

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
  ['These are yours: task.open, task.verify.', 'These are yours: open_task, verify_change.'],
  ['latest.submit and test.submitted stay', 'latest.submit and test.submitted stay'],
  ['testXsubmit stays, as does lane.open', 'testXsubmit stays, as does lane.open'],
])('%s', (text, expected) => {
  expect(nameTools(text)).toBe(expected);
});

test('a report is renamed in its message and its remedy', () => {
  const report = {
    code: 'A',
    message: 'no change.propose',
    remedy: 'test.submit',
    retryable: true,
  };
  expect(nameToolsIn(report)).toEqual({
    code: 'A',
    message: 'no propose_change',
    remedy: 'submit_test',
    retryable: true,
  });
});
