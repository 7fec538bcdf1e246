import { expect, test } from 'vitest';
import type { Entry } from '../../ledger/index.ts';
import { laneLimits } from '../limits.ts';
import { closedLanes } from './closed-lanes.ts';

const closed = (body: object): Entry => ({ kind: 'lane-closed', body }) as unknown as Entry;

function rowsAfter(entries: readonly Entry[]): Map<string, unknown> {
  const rows = new Map<string, unknown>();
  for (const entry of entries) {
    const keys = closedLanes.keys(entry);
    closedLanes.apply(
      {
        get: (key: string) => rows.get(key) as never,
        set: (key: string, value: unknown) => {
          expect(keys).toContain(key);
          rows.set(key, value);
        },
      },
      entry,
    );
  }
  return rows;
}

test('keeps closed lanes under their owner, no matter who closed them', () => {
  const rows = rowsAfter([
    closed({ lane: 'lane_1', owner: 'agent:coder' }),
    closed({ lane: 'lane_2', owner: 'agent:rival' }),
    closed({ lane: 'lane_3', owner: 'agent:coder' }),
    // As it was written before.
    closed({ lane: 'lane_4' }),
  ]);
  expect(Object.fromEntries(rows)).toEqual({
    'closed-lanes/agent:coder': { lanes: ['lane_1', 'lane_3'] },
    'closed-lanes/agent:rival': { lanes: ['lane_2'] },
  });
});

test('keeps laneLimits.ownClosedLanesMax closed lanes per owner and drops the oldest', () => {
  const lanes = Array.from({ length: laneLimits.ownClosedLanesMax + 1 }, (_, at) => `lane_${at}`);
  const kept = (count: number): unknown =>
    rowsAfter(lanes.slice(0, count).map((lane) => closed({ lane, owner: 'agent:coder' }))).get(
      'closed-lanes/agent:coder',
    );
  expect(kept(laneLimits.ownClosedLanesMax)).toEqual({ lanes: lanes.slice(0, -1) });
  expect(kept(laneLimits.ownClosedLanesMax + 1)).toEqual({ lanes: lanes.slice(1) });
});
