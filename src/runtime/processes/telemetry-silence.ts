import { telemetryLimits } from '../../telemetry/limits.ts';

export interface SilenceDeps {
  /** Whether the telemetry process answers a call. */
  answers(): Promise<boolean>;
  /** Whether the keeper has one that runs: what it restarts itself needs no other help. */
  isRunning(): Promise<boolean>;
  replace(): Promise<unknown>;
  /** Of a clock that never goes back. */
  nowMs(): number;
}

const askEveryMs = 5_000;

/**
 * Replaces a telemetry process that runs and does not answer: it hangs, or an older version of
 * Surety started it and nobody can call it any more.
 */
export class TelemetrySilence {
  readonly #deps: SilenceDeps;
  #askedAt = Number.NEGATIVE_INFINITY;
  #silentSince: number | undefined;

  constructor(deps: SilenceDeps) {
    this.#deps = deps;
  }

  /** Called every second. */
  async look(): Promise<void> {
    const { answers, isRunning, replace, nowMs } = this.#deps;
    const now = nowMs();
    if (now - this.#askedAt < askEveryMs) return;
    this.#askedAt = now;
    if ((await answers()) || !(await isRunning())) {
      this.#silentSince = undefined;
      return;
    }
    this.#silentSince ??= now;
    if (now - this.#silentSince < telemetryLimits.telemetrySilentMsMax) return;
    this.#silentSince = undefined;
    await replace();
  }
}
