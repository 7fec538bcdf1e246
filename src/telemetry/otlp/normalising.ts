import type { Counts } from './counts.ts';
import type { Distinct } from './distinct.ts';
import type { LaneFinder } from './lane-finder.ts';
import type { Names } from './names.ts';
import type { Arrival } from './plausible-time.ts';

/** What rows are made with, besides what was sent. */
export interface Normalising {
  readonly arrival: Arrival;
  readonly names: Names;
  readonly lanes: LaneFinder;
  readonly counts: Counts;
  /** Routes of services; those beyond the bound are one. */
  readonly routes: Distinct;
  readonly series: Distinct;
}
