import { expect, test } from 'vitest';
import { findPrograms } from './programs.ts';

test('names the package to install when pg_dump is missing', () => {
  expect(() => findPrograms('/nowhere', [])).toThrow(
    expect.objectContaining({
      code: 'PROGRAM_MISSING',
      remedy: expect.stringContaining('postgresql-client'),
    }),
  );
});
