import { type Lane, peekRecords, type Trees } from '../../lanes/index.ts';
import type { LanePair } from '../pipeline/lane-pair.ts';

type CoverageTrees = Pick<Trees, 'coverageOf' | 'topOf'>;

/** Which changed lines ran so far, in either version, and for which requests first. */
export class ReachedLines {
  readonly #lanes: readonly Lane[];
  readonly #trees: CoverageTrees;
  readonly #points = new Set<string>();

  constructor({ control, candidate }: LanePair, trees: CoverageTrees) {
    this.#lanes = [control, candidate];
    this.#trees = trees;
  }

  /** The traces of requests that ran changed lines which had not run when this was called last. */
  newTraces(): ReadonlySet<string> {
    const traces = this.#lanes.flatMap((lane) =>
      peekRecords(lane, this.#trees).executed.flatMap(({ file, line, column, traceId }) => {
        const point = [lane.lane, file, line, column].join();
        const isNew = !this.#points.has(point);
        this.#points.add(point);
        return isNew && traceId !== null ? [traceId] : [];
      }),
    );
    return new Set(traces);
  }
}
