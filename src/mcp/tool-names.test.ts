import { expect, test } from 'vitest';
import { fault } from '../kernel/index.ts';
import { refusalOf } from './run-tool.ts';
import { nameTools, remedyForAgents } from './tool-names.ts';
import { tools } from './tools/index.ts';

/** What the policy calls the actions for which there are tools. */
const gateNames = [...new Set(Object.values(tools).flatMap(({ needs = [] }) => needs))].filter(
  (name) => name.includes('.'),
);

test('each action that a tool needs has a tool', () => {
  expect(gateNames.length).toBeGreaterThan(10);
  const named = nameTools(gateNames.join(' ')).split(' ');
  expect(Object.keys(tools)).toEqual(expect.arrayContaining(named));
  expect(new Set(named).size).toBe(gateNames.length);
});

test.each([
  ['List the open lanes: surety lane list', 'List the open lanes: list_lanes'],
  [
    'See its current state: surety explain prop_1',
    'See its current state: explain_proposal {"proposal": "prop_1"}',
  ],
  ['Open one: surety task open, or the tool open_task.', 'Open one: open_task.'],
  [
    'Set telemetry.prometheus.url in surety.yaml, then run: surety down, surety up',
    'You cannot do this yourself. Ask an operator: Set telemetry.prometheus.url in surety.yaml, then run: surety down, surety up',
  ],
  [
    'Ask an operator to accept it: surety mcp accept x',
    'Ask an operator to accept it: surety mcp accept x',
  ],
])('an agent reads the remedy "%s" as "%s"', (remedy, expected) => {
  expect(remedyForAgents(remedy)).toBe(expected);
});

test.each([
  ['first: test.submit.', 'first: submit_test.'],
  ['You may use: task.open, task.verify.', 'You may use: open_task, verify_change.'],
  ['latest.submit and test.submitted stay', 'latest.submit and test.submitted stay'],
  ['testXsubmit stays, as does lane.opened', 'testXsubmit stays, as does lane.opened'],
])('"%s" becomes "%s" for an agent', (text, expected) => {
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
