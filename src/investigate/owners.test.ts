import { expect, test } from 'vitest';
import { investigationRequestSchema } from './api-schema.ts';
import { alertLimits } from './limits.ts';
import { ownersOf } from './owners.ts';
import { newestSuspects, promotionsOf, wordsOf } from './suspects.ts';

const codeowners = `# who
*            @all
*.md         @writers
/services/   @platform
/services/pricing/** @pricing @finance # both
docs/        @docs
`;

test.each([
  ['a.ts', ['@all']],
  ['notes/a.md', ['@writers']],
  ['services/orders/main.ts', ['@platform']],
  ['services/pricing/quote.ts', ['@pricing', '@finance']],
  ['x/services/a.ts', ['@all']],
  ['x/docs/a.ts', ['@docs']],
])('%s belongs to %j by the last pattern that matches', (file, owners) => {
  expect(ownersOf(file, codeowners)).toEqual(owners);
});

test('a promotion of several services is one suspect, and a returned one is none', () => {
  const one = { kind: 'promotion' as const, actor: 'person:a' as const, at: 1, seq: 1 };
  const promoted = (version: string, service: string, note = '') => ({
    ...{ ...one, version, previous: 'v0', service, note },
  });
  const found = promotionsOf([
    promoted('v1', 'orders'),
    promoted('v1', 'pricing'),
    promoted('v2', 'edge'),
    { ...promoted('v1', 'edge', 'returned: errors'), previous: 'v2' },
    { ...promoted('v3', 'edge'), kind: 'configuration' },
  ]);
  expect(found).toMatchObject([{ commit: 'v1', services: ['orders', 'pricing'] }]);
});

test('the words of a question name what it is about', () => {
  expect(wordsOf('Why are the high-value trades of Pricing failing?')).toEqual([
    'high',
    'value',
    'trades',
    'pricing',
    'failing',
  ]);
});

test('a question has up to questionCharsMax characters', () => {
  const accepts = (length: number): boolean =>
    investigationRequestSchema.safeParse({ question: 'x'.repeat(length) }).success;
  expect(accepts(alertLimits.questionCharsMax)).toBe(true);
  expect(accepts(alertLimits.questionCharsMax + 1)).toBe(false);
  expect(accepts(0)).toBe(false);
});

test('the newest suspectsMax changes are suspects, those that the words are about first', () => {
  const all = Array.from({ length: alertLimits.suspectsMax + 1 }, (_, index) => ({
    ...{ commit: `v${index}`, base: '', services: [`s${index}`], by: 'x', at: index, note: '' },
  }));
  const found = newestSuspects(all, ['s2']).map(({ commit }) => commit);
  expect(found).toEqual(['v2', 'v5', 'v4', 'v3', 'v1']);
});
