import { peekRecords, type Trees } from '../../lanes/index.ts';
import type { LanePair } from '../pipeline/lane-pair.ts';

/** Which changed lines ran so far, in either version, and for which requests first. */
export class ReachedLines {
  readonly #trees: Pick<Trees, 'coverageOf' | 'topOf'>;
  readonly #points = new Set<string>();

  constructor(trees: Pick<Trees, 'coverageOf' | 'topOf'>) {
    this.#trees = trees;
  }

  /** The traces of requests that ran changed lines which had not run when this was called last. */
  newTraces({ control, candidate }: LanePair): ReadonlySet<string> {
    const traces = [control, candidate].flatMap((lane, version) =>
      peekRecords(lane, this.#trees).executed.flatMap(({ file, line, column, traceId }) => {
        const point = [version, file, line, column].join();
        const isNew = !this.#points.has(point);
        this.#points.add(point);
        return isNew && traceId !== null ? [traceId] : [];
      }),
    );
    return new Set(traces);
  }
}
