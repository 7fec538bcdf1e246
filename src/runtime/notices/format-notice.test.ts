import { expect, test } from 'vitest';
import type { Notice } from '../../gate/index.ts';
import { formatNotice } from './format-notice.ts';

const notices: readonly (readonly [Notice['event'], Notice['facts'], string])[] = [
  ['proposal-held', { actor: 'agent:ada', tool: 'pay', approval: 'a1' }, 'surety approve a1'],
  ['recovery-held', { proposal: 'p1', tool: 'pay', reason: 'no answer' }, 'surety explain p1'],
  [
    'report-refused',
    { proposal: 'p1', tool: 'pay', recorded: 'failed', reported: 'committed' },
    'pay is committed, but failed is recorded',
  ],
  ['stop-set', { scope: 'tool:pay', reason: 'INC-1' }, 'surety stop --lift tool:pay'],
  ['policy-rejected', { reason: 'line 3', inForce: 'abc' }, 'In force: abc'],
  ['task-lost', { task: 'task_1', agent: 'agent:ada', rule: 'ask' }, 'surety task show task_1'],
  [
    'incident-opened',
    { incident: 'inc_1', service: 'orders', owner: '@trading', alerts: ['slow', 'down'] },
    'Incident of orders, for @trading: slow, down. Look at it: `surety incident show inc_1`',
  ],
  [
    'incident-closed',
    { incident: 'inc_1', service: '', owner: null, reason: 'rolled back' },
    'The incident of an unknown service is over: rolled back.',
  ],
  ['promotion-held', { services: ['orders'], reason: 'no traffic' }, 'is not kept yet: no traffic'],
  ['promotion-returned', { services: ['orders'], reason: 'errors' }, 'was taken back: errors'],
  [
    'promotion-stuck',
    { services: ['orders', 'edge'], reason: 'errors', failure: 'no port' },
    'The promotion of orders, edge makes things worse (errors)',
  ],
];

test.each(notices)('a notice of %s says what happened and what to do', (event, facts, said) => {
  expect(formatNotice({ event, facts })).toContain(said);
});

test('facts become no mention, link or code in a chat', () => {
  const facts = { scope: 'tool:<!channel>', reason: '`x`\n<https://evil.example|docs>&' };
  const text = formatNotice({ event: 'stop-set', facts });
  expect(text).not.toMatch(/[<>\n]/);
  expect(text).toContain('tool:&lt;!channel&gt;');
  expect(text.match(/`/g)).toHaveLength(2);
});

test('a long fact is cut', () => {
  const text = formatNotice({ event: 'policy-rejected', facts: { reason: 'x'.repeat(9_000) } });
  expect(text).toHaveLength(3_000);
});
