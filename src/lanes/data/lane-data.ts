/** The live data; a copy of it; or nothing but what the lane's version itself puts there. */
export type DataMode = 'shared' | 'branch' | 'empty';

/** What a lane has of one datastore. Part of the lane's row, so never with an address. */
export type LaneData = {
  readonly store: string;
  readonly mode: DataMode;
  /** The name of its own database, or part of one; null for what is shared. */
  readonly branch: string | null;
};
