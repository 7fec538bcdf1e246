/** Counts problems of incoming rows; shown by `surety status`. */
export class IntakeCounts {
  readonly #counts = new Map<string, number>();

  add(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  get(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  all(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}
