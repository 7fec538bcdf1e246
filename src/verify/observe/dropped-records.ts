import type { Round } from './round.ts';

interface Told {
  readonly doubts: readonly string[];
  readonly remarks: readonly string[];
}

/**
 * Pure. Of calls and logs only the latest are kept: a change that makes so many that its own first
 * ones are gone is not known to be well. Where both versions do, that is how the system is.
 */
export function tellDropped(rounds: readonly Round[]): Told {
  const known = new Set(rounds.flatMap(({ control }) => control.dropped ?? []));
  const found = new Set(rounds.flatMap(({ candidate }) => candidate.dropped ?? []));
  const own = [...found].filter((what) => !known.has(what));
  return {
    doubts: own.map((what) => `the change makes more ${what} than can be looked at`),
    remarks: [...known].map((what) => `there were more ${what} than can be looked at`),
  };
}
