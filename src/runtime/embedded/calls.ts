import { fault } from '../../kernel/index.ts';

/** Calls under way: whoever closes the gate waits for them, and nothing new begins meanwhile. */
export class Calls {
  readonly #open = new Set<Promise<unknown>>();
  #isEnding = false;

  async track<Result>(begin: () => Promise<Result>): Promise<Result> {
    if (this.#isEnding) throw fault('GATE_CLOSED', {});
    const call = begin();
    this.#open.add(call);
    try {
      return await call;
    } finally {
      this.#open.delete(call);
    }
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#open);
  }
}
