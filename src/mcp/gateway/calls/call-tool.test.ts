import { expect, test } from 'vitest';
import { withNotices } from './call-tool.ts';

const answer = { content: [{ type: 'text', text: 'sent' }], structuredContent: { id: 1 } };

test('a constraint follows the answer of a tool as a text of its own', () => {
  expect(withNotices(answer, ['Write as you did last week.'])).toEqual({
    content: [
      { type: 'text', text: 'sent' },
      { type: 'text', text: 'Notice of Surety: Write as you did last week.' },
    ],
    structuredContent: { id: 1 },
  });
});

test('an answer without notices is handed on as it is', () => {
  expect(withNotices(answer)).toBe(answer);
  expect(withNotices({ resultType: 'input_required' }, ['x'])).toEqual({
    resultType: 'input_required',
  });
});
