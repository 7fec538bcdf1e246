import type { Instant, Json } from '../kernel/index.ts';

/** What an expression was at a hit. `value` is JSON within bounds; `type` tells what it was. */
export type Observation =
  | { readonly type: string; readonly value: Json }
  | { readonly error: string };

export type Frame = {
  readonly function: string;
  readonly file: string;
  readonly line: number;
};

/** One hit. A type and not an interface: it goes into the ledger as JSON. */
export type Capture = {
  readonly at: Instant;
  /** From 1. */
  readonly hit: number;
  readonly values: { readonly [expression: string]: Observation };
  /** The line itself, then who called it. */
  readonly stack: readonly Frame[];
  readonly requestId?: string;
};

/** Captures as they come, for any number of readers; each begins with the first. */
export class CaptureList implements AsyncIterable<Capture> {
  readonly #captures: Capture[] = [];
  #isClosed = false;
  #change = Promise.withResolvers<void>();

  push(capture: Capture): void {
    this.#captures.push(capture);
    this.#tell();
  }

  /** Readers end once they have seen all. */
  close(): void {
    this.#isClosed = true;
    this.#tell();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Capture> {
    for (let index = 0; ; ) {
      const capture = this.#captures[index];
      if (capture) {
        index++;
        yield capture;
      } else if (this.#isClosed) {
        return;
      } else {
        await this.#change.promise;
      }
    }
  }

  #tell(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
