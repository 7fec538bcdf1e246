const samplesMax = 10;

/** How much of something there was per second, lately. */
export class Rate {
  readonly #total: () => number;
  readonly #samples: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(total: () => number) {
    this.#total = total;
    this.#timer = setInterval(() => this.#sample(), 1_000).unref();
  }

  perSecond(): number {
    const [first] = this.#samples;
    if (first === undefined) return 0;
    return Math.round((this.#total() - first) / this.#samples.length);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    this.#samples.push(this.#total());
    if (this.#samples.length > samplesMax) this.#samples.shift();
  }
}
