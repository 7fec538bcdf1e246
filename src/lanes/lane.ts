import type { Instant } from '../kernel/index.ts';
import type { Projection } from '../ledger/index.ts';
import type { LaneData } from './data/index.ts';

/** A changed service that runs beside the baseline, reached by the lane's requests only. */
export type Candidate = {
  readonly service: string;
  readonly instance: string;
  /** Its name on the host, and of its log. */
  readonly name: string;
  readonly port: number;
};

/** The id of a lane is also its key: the mark of the requests that are meant for it. */
export type Lane = {
  readonly lane: string;
  readonly change: string | null;
  readonly base: string;
  readonly candidates: readonly Candidate[];
  readonly data: readonly LaneData[];
  /** Opened by a run of ours, which ends it; without that run nobody needs it. */
  readonly transient: boolean;
  readonly openedBy: string;
  readonly openedAt: Instant;
  readonly expiresAt: Instant;
};

export const lanePrefix = 'lane/';
export const laneKey = (lane: string): string => lanePrefix + lane;

/** The lanes that are open. */
export const openLanes: Projection = {
  kinds: ['lane-opened', 'lane-closed'],
  keys: ({ body }) => [laneKey(String(body.lane))],
  apply: (rows, { kind, at, actor, body }) => {
    const lane = String(body.lane);
    if (kind === 'lane-closed') {
      rows.set(laneKey(lane), undefined);
      return;
    }
    const row: Lane = {
      lane,
      change: body.change === null ? null : String(body.change),
      base: String(body.base),
      candidates: body.candidates as unknown as readonly Candidate[],
      data: (body.data ?? []) as unknown as readonly LaneData[],
      transient: body.transient === true,
      openedBy: actor,
      openedAt: at,
      expiresAt: Number(body.expiresAt),
    };
    rows.set(laneKey(lane), row);
  },
};
