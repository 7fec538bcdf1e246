import { setImmediate } from 'node:timers/promises';
import { type Clock, fault, type Instant, type MakeIdentifier } from '../../kernel/index.ts';
import type { RawRequest } from '../../lanes/index.ts';
import { systemLimits } from '../../system/limits.ts';
import type { RecordedScenario, RecordingRules } from './api-schema.ts';
import type { RecordedStore } from './recorded-store.ts';
import { RecordedSessions, recordSession } from './sessions.ts';

interface RecorderDeps {
  /** What came since the last time; of so many clients in a thousand, none of them for 0. */
  fetch(perMille: number): Promise<readonly RawRequest[]>;
  readonly store: RecordedStore;
  /** Undefined where nobody has allowed it. */
  readonly rules: RecordingRules | undefined;
  readonly clock: Clock;
  readonly makeIdentifier: MakeIdentifier;
}

const fetchEveryMs = 3_000;
const dayMs = 24 * 60 * 60 * 1_000;

/** Records what the baseline is asked, as long as surety.yaml allows it and nobody stopped it. */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #sessions = new RecordedSessions();
  #isStopped = false;
  #fetchedAt: Instant = 0;
  #working: Promise<unknown> = Promise.resolve();

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  get isOn(): boolean {
    return this.#deps.rules !== undefined && !this.#isStopped;
  }

  /** Starts or stops recording; stored traffic stays. */
  async turn(on: boolean): Promise<void> {
    if (on) await this.#start();
    else await this.#stop();
  }

  /** Called periodically. */
  async look(): Promise<void> {
    await this.#inTurn(() => this.#deps.store.prune(this.#since()));
    if (!this.isOn || this.#deps.clock.now() - this.#fetchedAt < fetchEveryMs) return;
    await this.#take(false);
  }

  /** All recorded scenarios, the newest first. */
  async list(): Promise<readonly RecordedScenario[]> {
    await this.#take(true);
    return this.#deps.store.list(this.#since());
  }

  /** Returns how many there were. Open sessions are cleared, too. */
  clear(): Promise<number> {
    return this.#inTurn(async () => {
      if (this.isOn) await this.#takeLast();
      return this.#deps.store.clear();
    });
  }

  async #start(): Promise<void> {
    const { rules, fetch } = this.#deps;
    if (!rules) throw fault('TRAFFIC_NOT_RECORDED', {});
    if (this.isOn) return;
    await this.#inTurn(async () => {
      await fetch(rules.perMille);
      this.#isStopped = false;
    });
  }

  async #stop(): Promise<void> {
    if (!this.#deps.rules) return;
    const wasOn = this.isOn;
    this.#isStopped = true;
    await this.#inTurn(async () => {
      // A start that was queued earlier has run by now.
      this.#isStopped = true;
      if (wasOn) await this.#takeLast();
      // A router that can't be reached stops by itself once nobody fetches.
      await this.#deps.fetch(0).catch(() => undefined);
    });
  }

  /** If that fails, open sessions are dropped, because they hold secrets in memory. */
  async #takeLast(): Promise<void> {
    try {
      await this.#takeNow(true);
    } catch {
      this.#sessions.end();
    }
  }

  /** Older traffic has expired. */
  #since(): Instant {
    const { rules, clock } = this.#deps;
    return clock.now() - (rules?.keepDays ?? systemLimits.recordedDaysMax) * dayMs;
  }

  #take(isLast: boolean): Promise<void> {
    return this.#inTurn(async () => {
      if (this.isOn) await this.#takeNow(isLast);
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#working.then(work);
    this.#working = done.catch(() => undefined);
    return done;
  }

  async #takeNow(isLast: boolean): Promise<void> {
    const { rules, clock, store, makeIdentifier } = this.#deps;
    if (!rules) return;
    this.#fetchedAt = clock.now();
    const full = this.#sessions.add(await this.#deps.fetch(rules.perMille));
    const ended = [...full, ...(isLast ? this.#sessions.end() : this.#sessions.end(clock.now()))];
    const scenarios: RecordedScenario[] = [];
    for (const session of ended) {
      const scenario = recordSession(session, makeIdentifier('traffic'), rules);
      if (scenario) scenarios.push(scenario);
      // A session may have megabytes, so other work gets its turn after each.
      await setImmediate();
    }
    if (scenarios.length > 0) await store.add(scenarios, rules, clock.now());
  }
}
