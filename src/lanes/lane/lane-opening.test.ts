import { describe, expect, test } from 'vitest';
import { limits } from '../../kernel/index.ts';
import type { HoldSpec } from '../host/host.ts';
import { Repository } from '../repository.fixture.ts';
import { type OpeningDeps, startLane } from './lane-opening.ts';
import type { LanePlan } from './lane-plan.ts';

const plan: LanePlan = {
  lane: 'lane_1',
  base: 'abc',
  prepared: null,
  starts: [],
  on: null,
  controlOf: null,
  ttlMs: 1_000,
  transient: false,
  modes: {},
  ingress: null,
};

/** How long a lane that starts nothing is held, first and last. */
async function heldFor(ttlMs: number): Promise<number[]> {
  using repository = new Repository();
  const holds: HoldSpec[] = [];
  const host = {
    hold: async (spec: HoldSpec) => {
      holds.push(spec);
      return { endsAt: spec.leaseMs };
    },
  };
  const data = { reapCommand: () => null, open: async () => [] };
  const deps = { ...repository.deps, host, data } as unknown as OpeningDeps;
  await startLane({ ...plan, ttlMs }, deps);
  expect(holds.map(({ again }) => again)).toEqual([false, true]);
  return holds.map(({ leaseMs }) => leaseMs);
}

describe('the hold of a lane', () => {
  test(`lets it start for ${limits.laneStartMsMax} ms, and then live for its time`, async () => {
    expect(await heldFor(1_000)).toEqual([1_000 + limits.laneStartMsMax, 1_000]);
  });

  test('is never longer than a lease may be', async () => {
    const { leaseMsMax } = limits;
    expect(await heldFor(leaseMsMax)).toEqual([leaseMsMax, leaseMsMax]);
  });
});
