import { afterAll, beforeAll, expect, test } from 'vitest';
import { RefundPlace } from './harness/gate/refund-place.ts';
import { chapters } from './harness/gate/refund-story.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';

let place: RefundPlace;

beforeAll(async () => {
  place = await RefundPlace.start(await freshDatabase());
});
afterAll(() => place[Symbol.asyncDispose]());

// proves: gate.runtime-facts, gate.once, gate.kill, gate.recovery, gate.budgets
test.each(Object.entries(chapters))('%s', async (_, chapter) => {
  const all: Record<string, unknown> = {};
  const wanted: Record<string, unknown> = {};
  await chapter(place, (what, seen, should) => {
    all[what] = seen;
    wanted[what] = should;
  });
  expect(all).toEqual(wanted);
});
