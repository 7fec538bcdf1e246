import { expect, test } from 'vitest';
import { pointersFor } from './pointers.ts';

const trees = { relativeToSystem: async (files: readonly string[]) => [...files] };
const lanes = { diffOf: async () => '' };
const config = (enabled: boolean) =>
  ({ services: {}, suites: { flow: {} }, telemetry: { enabled } }) as never;
const judged = { patch: 'p', base: 'b' };

test('the commands that lead back to a change name it by its id', async () => {
  const quick = await pointersFor(judged, { lanes, trees, config: config(true) });
  const name = /^surety verify --change chg_[0-9a-f]{32}/;
  expect(quick.reproduce('flow')).toMatch(new RegExp(`${name.source} --suite flow$`));
  // A submitted test is stored with the change, and is not a suite.
  expect(quick.reproduce('tests/mine.ts')).toMatch(new RegExp(`${name.source}$`));
  expect(quick.showTrace('abc')).toBe('surety traces abc');
  const full = await pointersFor(
    { ...judged, profile: 'full' },
    { lanes, trees, config: config(false) },
  );
  expect(full.reproduce(null)).toMatch(new RegExp(`${name.source} --profile full$`));
  expect(full.showTrace('abc')).toBeNull();
});
