import { expect, test } from 'vitest';
import { formatSilence } from './logs.ts';

test.each([
  ['orders.build', 'The build of orders printed nothing.'],
  ['main.migration', 'The migration of main printed nothing.'],
  ['orders', 'orders has printed nothing yet.'],
  ['rebuild', 'rebuild has printed nothing yet.'],
])('an empty log of %s is told as: %s', (source, told) => {
  expect(formatSilence(source)).toBe(told);
});
