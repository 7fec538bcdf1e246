import { type Clock, isJsonObject, type JsonObject, sharedLimits } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { Origin, Sink } from '../rows.ts';
import { callForText } from './bounded-text.ts';
import { metricRows } from './metric-rows.ts';
import { readExposition } from './text-format.ts';

/** A program that serves its metrics. */
export interface ScrapeTarget extends Origin {
  readonly url: string;
  readonly everyMs: number;
}

/** The state of one target, for `surety status`. */
export interface ScrapeStatus extends ScrapeTarget {
  /** Null until its first answer. */
  readonly answeredAt: number | null;
  /** Points of its last answer. */
  readonly points: number;
  readonly failures: number;
  /** The problem of the last scrape; null if there was none. */
  readonly problem: string | null;
}

export interface ScraperDeps {
  readonly sink: Sink;
  readonly clock: Clock;
}

/** Scrapes each target at its own interval. A dead or slow target does not delay the others. */
export class Scraper {
  readonly #deps: ScraperDeps;
  #asked = new Map<string, ScrapeState>();

  constructor(deps: ScraperDeps) {
    this.#deps = deps;
  }

  /** Replaces the targets. Those that stay keep their schedule and their counts. */
  follow(targets: readonly ScrapeTarget[]): void {
    const before = this.#asked;
    this.#asked = new Map();
    for (const target of targets) {
      const key = JSON.stringify(target);
      this.#asked.set(key, before.get(key) ?? new ScrapeState(target, this.#deps));
      before.delete(key);
    }
    for (const gone of before.values()) gone.stop();
  }

  status(): ScrapeStatus[] {
    return [...this.#asked.values()].map((asked) => asked.status());
  }

  stop(): void {
    this.follow([]);
  }
}

const accept = 'text/plain;version=0.0.4, application/openmetrics-text;version=1.0.0;q=0.8';

class ScrapeState {
  readonly #target: ScrapeTarget;
  readonly #deps: ScraperDeps;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #answeredAt: number | null = null;
  #points = 0;
  #failures = 0;
  #problem: string | null = null;

  constructor(target: ScrapeTarget, deps: ScraperDeps) {
    this.#target = target;
    this.#deps = deps;
    this.#wait(0);
  }

  status(): ScrapeStatus {
    return {
      ...this.#target,
      answeredAt: this.#answeredAt,
      points: this.#points,
      failures: this.#failures,
      problem: this.#problem,
    };
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /**
   * The next scrape starts after the last one has ended, so a slow target is scraped less often.
   */
  #wait(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      void this.#ask().finally(() => this.#wait(this.#target.everyMs));
    }, ms).unref();
  }

  async #ask(): Promise<void> {
    try {
      this.#problem = await this.#take();
    } catch (error) {
      this.#problem = (error as Error).message;
    }
    if (this.#problem !== null) this.#failures++;
  }

  /** The problem with the answer, if any. */
  async #take(): Promise<string | null> {
    const { url, service, instance, lane } = this.#target;
    const at = this.#deps.clock.now();
    const bounds = { msMax: telemetryLimits.scrapeMsMax, bytesMax: telemetryLimits.scrapeBytesMax };
    const answer = await callForText({ url: new URL(url), headers: { accept }, ...bounds });
    if (this.#isStopped) return null;
    if (answer.status !== 200) return `it answered with status ${answer.status}`;
    const exposition = readExposition(answer.text, answer.contentType);
    const metrics = metricRows(exposition, {
      service,
      instance,
      lane,
      atNs: BigInt(at) * 1_000_000n,
    });
    const { refused } = this.#deps.sink.take({ metrics });
    this.#answeredAt = at;
    this.#points = metrics.length;
    return refused > 0
      ? `${refused} points were not stored: the queue is full`
      : complaint(exposition);
  }
}

/** The targets as the daemon sends them; an invalid one is ignored. */
export function readTargets({ targets }: JsonObject): ScrapeTarget[] {
  const objects = Array.isArray(targets) ? targets.filter(isJsonObject) : [];
  return objects.flatMap(({ service = '', instance = '', lane = '', url = '', everyMs = 0 }) =>
    URL.canParse(String(url))
      ? {
          service: String(service),
          instance: String(instance),
          lane: String(lane),
          url: String(url),
          everyMs: Math.max(sharedLimits.scrapeEveryMsMin, Number(everyMs) || 0),
        }
      : [],
  );
}

function complaint({ unreadable, beyond }: { unreadable: number; beyond: number }): string | null {
  if (unreadable > 0) return `${unreadable} lines could not be read`;
  return beyond > 0
    ? `${beyond} series beyond ${telemetryLimits.scrapeSamplesMax} were left out`
    : null;
}
