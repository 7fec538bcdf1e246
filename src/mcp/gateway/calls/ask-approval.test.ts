import { describe, expect, test } from 'vitest';
import { fault, type JsonObject, type Proposal } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { ClientExchange } from '../clients/exchange.ts';
import type { HeldAnswer } from '../ports.ts';
import { askApproval, questionAbout } from './ask-approval.ts';

const caller = { actor: 'agent:ada', roles: ['agent'] } as const;
const alice = { actor: 'person:alice', roles: ['approver'] } as const;
const proposal: Proposal = { actor: 'agent:ada', tool: 'pay', arguments: { amount: 7 } };
const held = fault('PROPOSAL_HELD', {
  actor: 'agent:ada',
  tool: 'pay',
  role: 'approver',
  approval: 'appr_1',
}).with({ approval: 'appr_1', argumentsHash: 'hash' });

async function ask(answer: JsonObject | Error, given: { can?: boolean; known?: boolean } = {}) {
  const asked: JsonObject[] = [];
  const answers: HeldAnswer[] = [];
  const exchange: ClientExchange = {
    caller,
    can: () => given.can ?? true,
    ask: async ({ params = {} }) => {
      asked.push(params);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    tell: () => undefined,
    pause: () => undefined,
  };
  const ports = {
    approver: () => (given.known === false ? null : alice),
    answerHeld: async (one: HeldAnswer) => void answers.push(one),
  };
  const isAnswered = await askApproval(held, proposal, exchange, ports);
  return { isAnswered, asked: asked.length, answers };
}

const accepted = (content: JsonObject): JsonObject => ({ action: 'accept', content });
const nothing = { isAnswered: false, asked: 1, answers: [] };

describe('a held call asks the person at its client', () => {
  test.each<[string, JsonObject, boolean, string]>([
    ['approves', accepted({ approve: true, reason: 'fine' }), true, 'fine'],
    ['approves without a reason', accepted({ approve: true }), true, ''],
    ['says no', accepted({ approve: false, reason: 'too much' }), false, 'too much'],
    ['declines', { action: 'decline' }, false, ''],
  ])('who %s', async (_, answer, isApproved, reason) => {
    const { isAnswered, answers } = await ask(answer);
    expect(isAnswered).toBe(true);
    const about = { approval: 'appr_1', argumentsHash: 'hash', approver: alice, at: 'agent:ada' };
    expect(answers).toEqual([{ ...about, isApproved, reason }]);
  });

  test.each<[string, JsonObject | Error]>([
    ['closes the question', { action: 'cancel' }],
    ['says nothing in particular', accepted({})],
    ['says yes in words', accepted({ approve: 'true' })],
    ['answers something else', { action: 'approve', content: { approve: true } }],
    ['answers with nothing', {}],
    ['never answers', new Error('nobody answered in time')],
  ])('who %s: nothing is approved', async (_, answer) => {
    expect(await ask(answer)).toEqual(nothing);
  });

  test('asks nobody if nobody may answer or the client cannot ask', async () => {
    const yes = accepted({ approve: true });
    expect(await ask(yes, { known: false })).toEqual({ ...nothing, asked: 0 });
    expect(await ask(yes, { can: false })).toEqual({ ...nothing, asked: 0 });
  });

  test('limits.elicitedCharsMax: asks nothing that the client cannot show whole', () => {
    const about = (note: string) =>
      questionAbout({ ...proposal, arguments: { note } }, 'person:alice');
    const frame = JSON.stringify({ note: '' }).length;
    expect(about('x'.repeat(mcpLimits.elicitedCharsMax - frame))).toContain(
      'agent:ada wants to call',
    );
    expect(about('x'.repeat(mcpLimits.elicitedCharsMax - frame + 1))).toBeUndefined();
  });

  test('makes characters visible that hide or reverse text', () => {
    const note = 'to alice\u202e\u200b';
    const shown = questionAbout({ ...proposal, arguments: { note } }, 'person:alice');
    expect(shown).toContain('to alice\\u{202e}\\u{200b}');
  });
});
