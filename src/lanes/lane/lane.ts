import { sha256 } from '../../kernel/index.ts';
import type { Projection } from '../../ledger/index.ts';
import type { Lane } from '../api-schema.ts';

export const lanePrefix = 'lane/';
export const laneKey = (lane: string): string => lanePrefix + lane;

/** Its number in trace ids, from which it is recovered where a service drops the key. */
export const traceOf = (lane: string): string => sha256(lane).slice(0, 8);

/** The lanes that are open. */
export const openLanes: Projection = {
  kinds: ['lane-opened', 'lane-extended', 'lane-closed'],
  keys: ({ body }) => [laneKey(String(body.lane))],
  apply: (rows, { kind, at, actor, body }) => {
    const key = laneKey(String(body.lane));
    if (kind === 'lane-closed') rows.set(key, undefined);
    else if (kind === 'lane-opened') {
      rows.set(key, { ...(body as Lane), owner: actor, openedAt: at });
    } else {
      const row = rows.get<Lane>(key);
      if (row) rows.set(key, { ...row, expiresAt: Number(body.expiresAt) });
    }
  },
};
