import type { Clock, Instant, JsonObject } from '../kernel/index.ts';
import type { Capture } from './api-schema.ts';
import { probeLimits } from './limits.ts';
import { evaluationsOf, readAndResume, readPause } from './pause.ts';
import type { ProbePlan } from './request.ts';
import type { Scripts } from './script.ts';
import type { InspectorSession } from './session.ts';

export interface ProbeWatchDeps {
  readonly session: InspectorSession;
  readonly plan: ProbePlan;
  readonly scripts: Scripts;
  readonly breakpoint: string;
  readonly clock: Clock;
  /** A budget is used up. */
  readonly end: (reason: 'hits' | 'stall') => void;
}

/** From one pause to the next, within the budgets of the probe. */
export class ProbeWatch {
  readonly captures: CaptureList = new CaptureList();
  hits = 0;
  pauses = 0;
  stallMs = 0;
  conditionError: string | undefined;
  readonly #deps: ProbeWatchDeps;
  readonly #evaluations: readonly string[];
  readonly #rate = new PauseRate();
  #arming: NodeJS.Timeout | undefined;
  #pausing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: ProbeWatchDeps) {
    this.#deps = deps;
    this.#evaluations = evaluationsOf(deps.plan);
    deps.session.on('Debugger.paused', (paused) => {
      this.#pausing = this.#pause(paused);
    });
  }

  /** Resolves once a hit that is being read has been kept. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#arming);
    await this.#pausing;
    this.captures.close();
  }

  async #pause(paused: JsonObject): Promise<void> {
    const { session, clock } = this.#deps;
    const at = clock.now();
    this.pauses++;
    this.#rate.paused(at);
    const isOurs = this.#isOurs(paused);
    const [frame] = paused.callFrames as readonly JsonObject[];
    const evaluations = isOurs ? this.#evaluations : [];
    const answers = await readAndResume(session, evaluations, String(frame?.callFrameId));
    this.stallMs += clock.now() - at;
    if (isOurs) this.#keep(readPause(answers, paused, this.#deps), at);
    this.#goOn();
  }

  /** A `debugger` statement in the code stops there too, as long as a debugger is enabled. */
  #isOurs({ hitBreakpoints }: JsonObject): boolean {
    return Array.isArray(hitBreakpoints) && hitBreakpoints.includes(this.#deps.breakpoint);
  }

  #keep(reading: ReturnType<typeof readPause>, at: Instant): void {
    if (reading.isHit) this.captures.push({ at, hit: ++this.hits, ...reading.values });
    else this.conditionError ??= reading.conditionError;
  }

  #goOn(): void {
    if (this.#isStopped) return;
    const { plan, clock, end } = this.#deps;
    if (this.hits >= plan.hitsMax) end('hits');
    else if (this.stallMs >= probeLimits.probeStallMsMax) end('stall');
    else this.#arming = setTimeout(() => this.#arm(), this.#rate.waitMs(clock.now()));
  }

  #arm(): void {
    const params = { active: true };
    // A lost connection ends the probe elsewhere.
    this.#deps.session.call('Debugger.setBreakpointsActive', params).catch(() => {});
  }
}

/** Captures as they come, for any number of readers; each begins with the first. */
class CaptureList implements AsyncIterable<Capture> {
  readonly #captures: Capture[] = [];
  #isClosed = false;
  #change = Promise.withResolvers<void>();

  push(capture: Capture): void {
    this.#captures.push(capture);
    this.#tell();
  }

  /** Readers end once they have seen all. */
  close(): void {
    this.#isClosed = true;
    this.#tell();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Capture> {
    for (let index = 0; ; ) {
      const capture = this.#captures[index];
      if (capture) {
        index++;
        yield capture;
      } else if (this.#isClosed) {
        return;
      } else {
        await this.#change.promise;
      }
    }
  }

  #tell(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}

const secondMs = 1_000;

/** Never more pauses than the limit in any second, wherever that second begins. */
export class PauseRate {
  readonly #recent: Instant[] = [];

  paused(now: Instant): void {
    this.#recent.push(now);
    if (this.#recent.length > probeLimits.probePausesPerSecondMax) this.#recent.shift();
  }

  /** How long to wait until the process may be stopped again. */
  waitMs(now: Instant): number {
    const [oldest] = this.#recent;
    if (oldest === undefined || this.#recent.length < probeLimits.probePausesPerSecondMax) return 0;
    return Math.max(0, oldest + secondMs - now);
  }
}
