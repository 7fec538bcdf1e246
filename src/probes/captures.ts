import type { Capture } from './api-schema.ts';
import { probeLimits } from './limits.ts';

/** Captures as they come, for any number of readers; each begins with the oldest that is kept. */
export class CaptureList implements AsyncIterable<Capture> {
  #kept: Capture[] = [];
  #dropped = 0;
  #isClosed = false;
  #change = Promise.withResolvers<void>();

  get kept(): readonly Capture[] {
    return this.#kept;
  }

  push(captures: readonly Capture[]): void {
    const all = [...this.#kept, ...captures];
    const over = Math.max(0, all.length - probeLimits.probeCapturesKeptMax);
    this.#kept = all.slice(over);
    this.#dropped += over;
    this.#tell();
  }

  /** Readers end once they have seen all. */
  close(): void {
    this.#isClosed = true;
    this.#tell();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Capture> {
    for (let next = 0; ; ) {
      next = Math.max(next, this.#dropped);
      const capture = this.#kept[next - this.#dropped];
      if (capture) {
        next++;
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
