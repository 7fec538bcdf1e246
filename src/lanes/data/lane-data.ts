/**
 * What there is already, live or of the lane below; a copy of the live data; or nothing but what
 * the lane's version itself puts there.
 */
export type DataMode = 'shared' | 'branch' | 'empty';

/** What a lane has of one datastore. Part of the lane's row, so never with an address. */
export type LaneData = {
  readonly store: string;
  readonly mode: DataMode;
  /** The name of a database or part of one, its own or that of the lane below; null if live. */
  readonly branch: string | null;
};
