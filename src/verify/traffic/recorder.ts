import { type Clock, fault, type Instant, type MakeIdentifier } from '../../kernel/index.ts';
import type { RawRequest, RecordedScenario, RecordingRules } from './recorded.ts';
import type { RecordedStore } from './recorded-store.ts';
import { recordSession, Sessions } from './sessions.ts';

export interface RecorderDeps {
  /** What came since the last time; of so many clients in a thousand, none of them for 0. */
  fetch(perMille: number): Promise<readonly RawRequest[]>;
  readonly store: RecordedStore;
  /** Undefined where nobody has allowed it. */
  readonly rules: RecordingRules | undefined;
  readonly clock: Clock;
  readonly makeIdentifier: MakeIdentifier;
}

const fetchEveryMs = 3_000;

/** Records what the baseline is asked, as long as surety.yaml allows it and nobody stopped it. */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #sessions = new Sessions();
  #isStopped = false;
  #fetchedAt: Instant = 0;
  #working: Promise<unknown> = Promise.resolve();

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  get isOn(): boolean {
    return this.#deps.rules !== undefined && !this.#isStopped;
  }

  /** From now on, or no more. What is kept stays. */
  async turn(on: boolean): Promise<void> {
    if (on && !this.#deps.rules) throw fault('TRAFFIC_NOT_RECORDED', {});
    if (!on) await this.#take(true);
    this.#isStopped = !on;
    if (this.#deps.rules) await this.#deps.fetch(on ? this.#deps.rules.perMille : 0);
  }

  /** Called every now and then. */
  async look(): Promise<void> {
    if (!this.isOn || this.#deps.clock.now() - this.#fetchedAt < fetchEveryMs) return;
    await this.#take(false);
  }

  /** All that is known up to now, the newest first. */
  async list(): Promise<readonly RecordedScenario[]> {
    await this.#take(true);
    return this.#deps.store.list();
  }

  async clear(): Promise<number> {
    await this.#take(true);
    return this.#deps.store.clear();
  }

  #take(isLast: boolean): Promise<void> {
    const taken = this.#working.then(() => this.#takeNow(isLast));
    this.#working = taken.catch(() => undefined);
    return taken;
  }

  async #takeNow(isLast: boolean): Promise<void> {
    const { rules, clock, store, makeIdentifier } = this.#deps;
    if (!rules || !this.isOn) return;
    this.#fetchedAt = clock.now();
    const full = this.#sessions.add(await this.#deps.fetch(rules.perMille));
    const ended = [...full, ...(isLast ? this.#sessions.end() : this.#sessions.end(clock.now()))];
    const scenarios = ended.flatMap(
      (session) => recordSession(session, makeIdentifier('traffic'), rules) ?? [],
    );
    if (scenarios.length > 0) await store.add(scenarios, rules, clock.now());
  }
}
