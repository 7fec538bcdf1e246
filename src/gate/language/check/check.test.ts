import { describe, expect, test } from 'vitest';
import { parse, refundPolicy, refundWith } from '../policy.fixture.ts';
import { type CheckOptions, checkPolicy } from './check.ts';

const found = (text: string, options: CheckOptions = {}) =>
  checkPolicy(parse(text), options).map(
    ({ level, where, message }) => `${level} ${where}: ${message}`,
  );
/** The findings that the unchanged refund policy does not have. */
const news = (before: string, after: string, options: CheckOptions = {}) => {
  const known = found(refundPolicy);
  return found(refundWith(before, after), options).filter((line) => !known.includes(line));
};

test('policy check reports only notes for the refund policy', () => {
  expect(found(refundPolicy, { natives: [], roles: ['approver'] })).toEqual([
    'note tools.refund.issue.invariants.looked-first: it is soft: it warns and refuses nothing',
    expect.stringMatching(/^note tools.refund.issue: deciding takes at most \d+ steps, \d+ in one/),
  ]);
});

test('policy check reports an unused tool or role of the own files, and not of a pack', () => {
  const unused = refundWith('tools: [refund.issue]', 'tools: [refund.find]');
  const text = unused.replace('agents:', '  clerk: {tools: [refund.find]}\nagents:');
  const warnings = [
    'warning tools.refund.issue: no agent may use it',
    'warning roles.clerk: no agent has it',
  ];
  const source = {
    path: 'policy.yaml',
    tools: ['refund.issue'],
    roles: ['clerk'],
    toolModes: [],
  };
  expect(found(text, { own: [source] })).toEqual(expect.arrayContaining(warnings));
  const ofPack = found(text, { own: [{ ...source, tools: [], roles: [] }] });
  expect(ofPack.filter((line) => warnings.includes(line))).toEqual([]);
});

describe('policy check finds', () => {
  test.each<[string, string, string, string]>([
    [
      'a tool without a contract',
      'tools: [refund.issue]',
      'tools: [refund.issue, mail.send]',
      'error tools.mail.send: mail.send has no contract: every call of it is denied',
    ],
    [
      'a contract that nobody may use',
      'tools: [refund.issue]',
      'tools: [refund.find]',
      'warning tools.refund.issue: no agent may use it',
    ],
    [
      'a rule that never holds',
      'arguments.amount <= reads.order.total',
      '1 > 2',
      'error tools.refund.issue.invariants.within-order: it never holds, so every call is denied: 1 > 2',
    ],
    [
      'a rule that always holds',
      'arguments.amount <= reads.order.total',
      'vars.threshold > 1',
      'warning tools.refund.issue.invariants.within-order: it always holds: vars.threshold > 1',
    ],
    [
      'a constraint that never holds',
      'that: arguments.amount <= 5000',
      'that: "false"',
      'error agents.ada.constraints.refund.issue.small: it never holds, so every call is denied: false',
    ],
    [
      'an approval that is never asked',
      'when: arguments.amount > vars.threshold',
      'when: vars.threshold < 1',
      'warning tools.refund.issue.governance.approval.when: it is never so: vars.threshold < 1',
    ],
    [
      'an approval that is always asked',
      'when: arguments.amount > vars.threshold',
      'when: "true"',
      'warning tools.refund.issue.governance.approval.when: it is always so: true',
    ],
    [
      'evidence that is never made',
      'when: result.status == "delivered"',
      'when: "false"',
      'warning tools.order.get.produces.0.when: it is never so: false',
    ],
    [
      'a compensation that never comes',
      'when: outcome.status == "unknown"',
      'when: "false"',
      'warning tools.refund.issue.recovery.steps.2.when: it is never so: false',
    ],
    [
      'evidence that nobody makes',
      'evidence: order-verified',
      'evidence: order-seen',
      'warning tools.refund.issue.governance.evidence.order-verified: no contract produces order-verified',
    ],
    [
      'a tool that a role has already',
      'tools: [refund.issue]',
      'tools: [refund.issue, order.get]',
      'note agents.ada.tools.1: the role support has order.get already',
    ],
    [
      'a tool that a pattern has already',
      'tools: [refund.issue]',
      'tools: [refund.issue, "refund.*"]',
      'note agents.ada.tools.0: the agent has refund.issue already',
    ],
    [
      'a role that nobody has',
      'roles: [support]',
      'roles: []',
      'warning roles.support: no agent has it',
    ],
    [
      'a mutating tool without a budget',
      'budgets: [ {dimension: money, limit: 50000, per: 1d}, {dimension: calls, limit: 1000} ]\nbudgets',
      'budgets: []\nbudgets',
      'warning agents.ada.budgets: it may call refund.issue and has no budget',
    ],
    [
      'a read-only agent that may write',
      'tools: [refund.issue]',
      'tools: [refund.issue]\n    autonomy: read-only',
      'warning agents.ada.autonomy: it is read-only: refund.issue',
    ],
    [
      'an agent without tools',
      'agents:\n',
      'agents:\n  bob: {}\n',
      'warning agents.bob.tools: it has no tools',
    ],
    [
      'calls that no budget pays',
      'amount: {type: integer, minimum: 1,',
      'amount: {type: integer, minimum: 60000,',
      'error agents.ada.budgets: every call of refund.issue costs at least 60000 money, the limit is 50000',
    ],
    [
      'calls that some budget cannot pay',
      'limit: 50000',
      'limit: 30000',
      'note agents.ada.budgets: a call of refund.issue may cost up to 40000 money, the limit is 30000',
    ],
    [
      'a constant cost that the workspace cannot pay',
      'cost: { money: arguments.amount }',
      'cost: { money: "2000000" }',
      'error budgets: every call of refund.issue costs at least 2000000 money',
    ],
  ])('%s', (_, before, after, expected) => {
    expect(news(before, after)).toContainEqual(expect.stringContaining(expected));
  });

  test('an approval that nobody may give', () => {
    expect(found(refundPolicy, { roles: ['admin', 'viewer'] })[0]).toBe(
      'error tools.refund.issue.governance.approval.role: nobody has the role approver: what waits for it waits in vain',
    );
  });

  test('used tools without a contract, except our own', () => {
    const tools = ['order.get', 'mail.send', 'lane.open'];
    const lines = found(refundPolicy, { tools, natives: ['lane.open'] });
    expect(lines.filter((line) => line.includes('no contract'))).toEqual([
      'error tools.mail.send: mail.send has no contract: every call of it is denied',
    ]);
  });

  test('no problem with evidence that the runtime produces itself', () => {
    const lines = news('evidence: order-verified', 'evidence: order-seen', {
      evidence: ['order-verified'],
    });
    expect(lines.filter((line) => line.includes('produces'))).toEqual([]);
  });
});

test('every finding says what to do', () => {
  const findings = checkPolicy(parse(refundPolicy), { roles: [], tools: ['mail.send'] });
  expect(findings.length).toBeGreaterThan(2);
  expect(findings.filter(({ remedy }) => remedy === '')).toEqual([]);
  expect(findings.map(({ level }) => level)).toEqual(['error', 'error', 'note', 'note']);
});
