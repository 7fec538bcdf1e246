/** One quantity of one service over time. */
export interface Series {
  readonly service: string;
  readonly metric: string;
  /** In seconds, ascending. */
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** A service, and a service that it calls. */
export type ServiceCall = readonly [caller: string, callee: string];

/** What is known of one incident. */
export interface RankInput {
  readonly series: readonly Series[];
  readonly calls: readonly ServiceCall[];
  /** When it began, in seconds. Without it, the change-points of the series tell. */
  readonly onset?: number;
}

/** Seconds, whatever the unit: no clock of today shows so few or so many of another one. */
export function toSeconds(time: number): number {
  if (time > 1e17) return time / 1e9;
  if (time > 1e14) return time / 1e6;
  return time > 1e11 ? time / 1e3 : time;
}
