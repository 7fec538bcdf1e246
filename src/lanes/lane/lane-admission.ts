import type { Config } from '../../system/index.ts';
import { checkQuotas, type QuotaClaim } from './quotas.ts';

/** Lets lanes in one by one: a hundred that come at once see each other before they are open. */
export class LaneAdmission {
  readonly #claims = new Map<string, QuotaClaim>();
  readonly #list: () => Promise<readonly QuotaClaim[]>;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(list: () => Promise<readonly QuotaClaim[]>) {
    this.#list = list;
  }

  /** Those that are being opened. */
  get claims(): readonly QuotaClaim[] {
    return [...this.#claims.values()];
  }

  admit(wanted: QuotaClaim, config: Config): Promise<void> {
    return this.#inTurn(async () => {
      const open = await this.#list();
      const known = new Set(open.map(({ lane }) => lane));
      const coming = this.claims.filter(({ lane }) => !known.has(lane));
      checkQuotas(wanted, [...open, ...coming], config);
      this.#claims.set(wanted.lane, wanted);
    });
  }

  /** It is open, or came to nothing. */
  async done(lane: string): Promise<void> {
    await this.#inTurn(async () => this.#claims.delete(lane));
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
