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
  ['files belong to nobody', touchesNone, request, refused],
  [
    'it was to make a test hold',
    touchesNone,
    { ...request, test: { path: 'a', text: 'b' } },
    taken,
  ],
  ['a lane could not be opened for another reason', new Error('full'), request, taken],
])('it is no verdict where %s', async (_, error, asked, lanes) => {
  await expect(judgeSameConfiguration(error, asked as never, lanes)).rejects.toBe(error);
});
