import { expect, test } from 'vitest';
import { findPrograms } from './programs.ts';

test('where there is no pg_dump, it is said what to install', () => {
  expect(() => findPrograms('/nowhere', [])).toThrow(
    expect.objectContaining({
      code: 'PROGRAM_MISSING',
      remedy: expect.stringContaining('postgresql-client'),
    }),
  );
});
