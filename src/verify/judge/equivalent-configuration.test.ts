import { expect, test } from 'vitest';
import { fault } from '../../kernel/index.ts';
import { judgeSameConfiguration } from './equivalent-configuration.ts';

const touchesNone = fault('CHANGE_TOUCHES_NO_SERVICE', { files: 'surety.yaml' });
const request = { patch: 'x', base: 'y' };
const taken = { factsOf: async () => ({ files: ['surety.yaml'], services: [], kinds: [] }) };
const refused = { factsOf: () => Promise.reject(touchesNone) };

test('a change that does not affect any service passes', async () => {
  const { verdict, reason, services } = await judgeSameConfiguration(touchesNone, request, taken);
  expect([verdict, services]).toEqual(['pass', []]);
  expect(reason).toContain('no service is affected');
});

test.each([
  ['files that belong to no service', touchesNone, request, refused],
  [
    'a test that it should make pass',
    touchesNone,
    { ...request, test: { path: 'a', text: 'b' } },
    taken,
  ],
  ['another error on opening the lane', new Error('full'), request, taken],
])(
  'a change without a service is no pass, but an error, with %s',
  async (_, error, asked, lanes) => {
    await expect(judgeSameConfiguration(error, asked as never, lanes)).rejects.toBe(error);
  },
);
