import type { WatchRow } from './watched-promotion.ts';

/** `disturbed`: somebody stopped or started a service meanwhile, so the run says nothing. */
export type SuitesResult = 'passed' | 'disturbed' | { readonly failed: string };

/** Runs the suites on the promoted version as an ordinary client would. */
export type RepeatSuites = (watched: WatchRow) => Promise<SuitesResult>;

/**
 * A change that behaves well only where it recognises a lane fails here: at once if a mark of the
 * lane makes the difference, at the end of the watch if time or a number of requests does.
 */
export class RepeatedSuites {
  readonly #repeat: RepeatSuites;
  readonly #results = new Map<string, SuitesResult>();
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
  }

  async #start(run: string, watched: WatchRow): Promise<void> {
    this.#isRunning = true;
    const result = await this.#repeat(watched).catch((error: Error) => ({
      failed: `the suites could not be run again: ${error.message}`,
    }));
    this.#results.set(run, result);
    this.#isRunning = false;
  }
}
