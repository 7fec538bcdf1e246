import type { Round } from './round.ts';

interface DroppedRecords {
  readonly doubts: readonly string[];
  readonly remarks: readonly string[];
}

/**
 * Pure. Only the latest calls and log lines are kept. If a change makes so many that its first ones
 * are dropped, it was not examined completely. If both versions do, the system is like that.
 */
export function findDropped(rounds: readonly Round[]): DroppedRecords {
  const known = new Set(rounds.flatMap(({ control }) => control.dropped ?? []));
  const found = new Set(rounds.flatMap(({ candidate }) => candidate.dropped ?? []));
  const own = [...found].filter((what) => !known.has(what));
  return {
    doubts: own.map((what) => `the change makes more ${what} than Surety can examine`).toSorted(),
    remarks: [...known].map((what) => `there were more ${what} than Surety can examine`),
  };
}
