import { expect, test } from 'vitest';
import { pointers } from './pointers.ts';

const trees = { relativeToSystem: async (files: readonly string[]) => [...files] };
const lanes = { diffOf: async () => '' };
const config = (enabled: boolean) =>
  ({ services: {}, suites: { flow: {} }, telemetry: { enabled } }) as never;
const judged = { patch: 'p', base: 'b' };

test('what leads back to a change works when it is pasted', async () => {
  const quick = await pointers(judged, { lanes, trees, config: config(true) });
  const name = /^surety verify --change chg_[0-9a-f]{32}/;
  expect(quick.reproduce('flow')).toMatch(new RegExp(`${name.source} --suite flow$`));
  // A test that was submitted is kept with the change, and is no suite.
  expect(quick.reproduce('tests/mine.ts')).toMatch(new RegExp(`${name.source}$`));
  expect(quick.showTrace('abc')).toBe('surety traces abc');
  const full = await pointers(
    { ...judged, profile: 'full' },
    { lanes, trees, config: config(false) },
  );
  expect(full.reproduce(null)).toMatch(new RegExp(`${name.source} --profile full$`));
  expect(full.showTrace('abc')).toBeNull();
});
