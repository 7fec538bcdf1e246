import type { Capture } from './api-schema.ts';

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
