import { type Instant, sha256 } from '../../kernel/index.ts';
import type { Projection } from '../../ledger/index.ts';
import type { LaneData } from '../data/index.ts';

/** A service that runs beside the baseline, reached by the lane's requests only. */
export type Candidate = {
  readonly service: string;
  readonly instance: string;
  /** Its name on the host, and of its log. */
  readonly name: string;
  readonly port: number;
  /** `changed` by the lane's change; a `copy` runs what the baseline runs. */
  readonly version: 'changed' | 'copy';
  /** What it speaks, where that is not what the baseline does. */
  readonly protocol?: 'http' | 'https' | 'h2c' | 'grpc';
};

/** The id of a lane is also its key: the mark of the requests that are meant for it. */
export type Lane = {
  readonly lane: string;
  readonly owner: string;
  readonly change: string | null;
  readonly base: string;
  /** What its candidates run, as a version in git. */
  readonly commit: string;
  readonly candidates: readonly Candidate[];
  readonly data: readonly LaneData[];
  /** The lane that it stands on: requests go there where it has no candidate of its own. */
  readonly on: string | null;
  /** The lane whose old version it runs, to compare with. */
  readonly controlOf: string | null;
  /** The service where its requests enter; null when they do where all others do. */
  readonly ingress: string | null;
  /** Opened by a run of ours, which ends it; without that run nobody needs it. */
  readonly transient: boolean;
  readonly openedAt: Instant;
  readonly expiresAt: Instant;
  /** However often it is extended. */
  readonly endsAtMost: Instant;
};

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
      rows.set(key, { ...(body as unknown as Lane), owner: actor, openedAt: at });
    } else {
      const row = rows.get<Lane>(key);
      if (row) rows.set(key, { ...row, expiresAt: Number(body.expiresAt) });
    }
  },
};
