import { describe, expect, test } from 'vitest';
import { fault } from '../kernel/index.ts';
import { denialOf } from './denial.ts';

const contentOf = (error: unknown) => denialOf(error, 'refund.issue').structuredContent;
const textOf = (error: unknown): string =>
  (denialOf(error, 'refund.issue').content as { text: string }[])[0]?.text ?? '';

describe('a refusal', () => {
  test('of a call in flight says so and is retryable', () => {
    expect(contentOf(fault('PROPOSAL_IN_FLIGHT', { proposal: 'prop_1' }))).toMatchObject({
      code: 'PROPOSAL_IN_FLIGHT',
      state: 'in_flight',
      retryable: true,
    });
  });

  test('names the missing evidence and the tools that produce it', () => {
    const denied = fault('PROPOSAL_DENIED', {
      actor: 'agent:ada',
      tool: 'refund.issue',
      reason: 'why',
      remedy: 'Look first.',
    }).with({
      rule: 'evidence/seen',
      evidenceNeeded: [{ evidence: 'seen', tools: ['order.get'] }],
    });
    expect(contentOf(denied)).toMatchObject({
      rule: 'evidence/seen',
      remedy: 'Look first.',
      evidence_needed: [{ evidence: 'seen', tools: ['order.get'] }],
      repeats: 0,
      final: false,
      retryable: false,
    });
    expect(textOf(denied)).toContain(
      'Try: Look first.\nMissing evidence: seen. These make it: order.get.',
    );
  });

  test('that only needs time is retryable', () => {
    const values = { actor: 'agent:ada', tool: 't', reason: 'r', remedy: 'Wait.' };
    const denied = fault('PROPOSAL_DENIED', values).with({ retryAt: 7 });
    expect(contentOf(denied)).toMatchObject({ retryable: true, retry_at: 7 });
  });

  test('for an unexpected error is still a refusal', () => {
    expect(contentOf(new Error('oh'))).toMatchObject({ code: 'INTERNAL' });
  });
});
