/** The different words of one batch, each with a number: they are lists in DuckDB, from 1 on. */
export class Words {
  readonly #numbers = new Map<string, number>();

  numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(word, number);
    return number;
  }

  /** In the order of their numbers. */
  get all(): readonly string[] {
    return [...this.#numbers.keys()];
  }
}
