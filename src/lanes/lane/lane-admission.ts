import type { Config } from '../../system/index.ts';
import { type Claim, checkQuotas } from './quotas.ts';

/** Lets lanes in one by one: a hundred that come at once see each other before they are open. */
export class Admission {
  readonly #claims = new Map<string, Claim>();
  readonly #list: () => Promise<readonly Claim[]>;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(list: () => Promise<readonly Claim[]>) {
    this.#list = list;
  }

  /** Those that are being opened. */
  get claims(): readonly Claim[] {
    return [...this.#claims.values()];
  }

  admit(wanted: Claim, config: Config): Promise<void> {
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
