import { expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import type { Lane } from '../api-schema.ts';
import { laneKey } from './lane.ts';
import { Lanes, type LanesDeps } from './lanes.ts';

test('a lane that ends while it is being extended is answered with its new end', async () => {
  const times = { expiresAt: 100, endsAtMost: 900 };
  const lane = { lane: 'lane_1', owner: 'person:ada', on: null, candidates: [], ...times };
  const rows = new Map([[laneKey('lane_1'), lane]]);
  const lanes = new Lanes({
    config: parseConfig('services: {}', { path: 'surety.yaml', environment: {} }),
    act: async (_: unknown, effect: () => Promise<unknown>) => ({
      status: 'committed',
      value: await effect(),
    }),
    ledger: {
      async *rows(prefix: string) {
        for (const [key, value] of rows) if (key.startsWith(prefix)) yield { key, value };
      },
      append: async () => undefined,
    },
    clock: { now: () => 50 },
    trees: { places: async () => [] },
    data: { reapCommand: () => undefined },
    host: { hold: async () => ({ endsAt: 51 }) },
    // As slow as a busy machine: the lane is over and closed before the router knows its end.
    routes: { publish: async () => void rows.clear() },
  } as unknown as LanesDeps);
  const extended: Lane = await lanes.extend('person:ada', 'lane_1', 1);
  expect(extended).toMatchObject({ lane: 'lane_1', expiresAt: 51 });
});
