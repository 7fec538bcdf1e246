import type { IntakeCounts } from './counts.ts';
import type { Distinct } from './distinct.ts';
import type { LaneSource } from './lane-finder.ts';
import type { KnownNames } from './names.ts';
import type { ArrivalTime } from './plausible-time.ts';

/** What rows are built with, in addition to the message. */
export interface RowContext {
  readonly arrival: ArrivalTime;
  readonly names: KnownNames;
  readonly lanes: LaneSource;
  readonly counts: IntakeCounts;
  /** Routes of services; those beyond the limit are merged into one. */
  readonly routes: Distinct;
  readonly series: Distinct;
}
