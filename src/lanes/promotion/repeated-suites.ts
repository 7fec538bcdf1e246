import type { WatchRow } from './watched-promotion.ts';

/**
 * `disturbed`: somebody stopped or started a service meanwhile, so the run says nothing. `none`:
 * no suite was to run, so no request was sent.
 */
export type SuitesResult = 'passed' | 'none' | 'disturbed' | { readonly failed: string };

/** Runs the suites on the promoted version as an ordinary client would. */
export type RepeatSuites = (watched: WatchRow) => Promise<SuitesResult>;

/**
 * A change that behaves well only where it recognises a lane fails here: at once if a mark of the
 * lane makes the difference, at the end of the watch if time or a number of requests does.
 */
export class RepeatedSuites {
  readonly #repeat: RepeatSuites;
  readonly #results = new Map<string, SuitesResult>();
  readonly #broken = new Set<string>();
  #isRunning = false;

  constructor(repeat: RepeatSuites) {
    this.#repeat = repeat;
  }

  /** Starts the run that is due, beside the watch: a suite may take minutes. */
  look(watched: WatchRow, isOver: boolean): SuitesResult | 'running' {
    const run = `${watched.commit} ${watched.since} ${isOver ? 'end' : 'beginning'}`;
    const result = this.#results.get(run);
    if (result !== undefined && result !== 'disturbed') return result;
    if (!this.#isRunning) void this.#start(run, watched);
    return 'running';
  }

  clear(): void {
    this.#results.clear();
    this.#broken.clear();
  }

  /** A run may break once by chance, such as for want of processes; twice is a failure. */
  #broke(run: string, { message }: Error): SuitesResult {
    const isFirst = !this.#broken.has(run);
    this.#broken.add(run);
    return isFirst ? 'disturbed' : { failed: `the suites could not be run again: ${message}` };
  }

  async #start(run: string, watched: WatchRow): Promise<void> {
    this.#isRunning = true;
    const result = await this.#repeat(watched).catch((error: Error) => this.#broke(run, error));
    this.#results.set(run, result);
    this.#isRunning = false;
  }
}
