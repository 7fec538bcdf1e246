import type { IntakeCounts } from './counts.ts';
import type { Distinct } from './distinct.ts';
import type { LaneFinder } from './lane-finder.ts';
import type { KnownNames } from './names.ts';
import type { ArrivalTime } from './plausible-time.ts';

/** What rows are made with, besides what was sent. */
export interface RowContext {
  readonly arrival: ArrivalTime;
  readonly names: KnownNames;
  readonly lanes: LaneFinder;
  readonly counts: IntakeCounts;
  /** Routes of services; those beyond the bound are one. */
  readonly routes: Distinct;
  readonly series: Distinct;
}
