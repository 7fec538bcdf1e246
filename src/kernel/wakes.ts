/** Lets work wait for something that other work of this process does, by name. */
export class Wakes {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Resolves when the name is woken, or after `ms`. */
  wait(name: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiting);
      const end = (): void => {
        clearTimeout(timer);
        waiting.delete(end);
        if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name);
        resolve();
      };
      const timer = setTimeout(end, ms);
      waiting.add(end);
    });
  }

  wake(name: string): void {
    for (const end of [...(this.#waiting.get(name) ?? [])]) end();
  }
}
