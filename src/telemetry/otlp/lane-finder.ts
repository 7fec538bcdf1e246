import { createHmac } from 'node:crypto';
import { laneKey } from '../lane-key.ts';
import { telemetryLimits } from '../limits.ts';
import type { KnownNames } from './names.ts';

/** Trace ids with this prefix contain the number of a lane and its signature. */
const marker = '5e1a';

export interface LaneFinderDeps {
  readonly names: KnownNames;
  /** 32 bytes in hex that verify the tag in a trace id; empty if there is none. */
  readonly traceSecret: string;
}

/** Finds the lane of a span, log record or metric by everything that identifies it. */
export class LaneFinder {
  readonly #names: KnownNames;
  readonly #secret: string;
  /** Lanes by trace; the oldest are dropped first. */
  readonly #traces = new Map<string, string>();
  readonly #tags = new Map<string, string>();

  constructor({ names, traceSecret }: LaneFinderDeps) {
    this.#names = names;
    this.#secret = traceSecret;
  }

  /** An explicit lane counts first; an invalid key counts as none. */
  find(reported: string, traceState: string, traceId: string): string {
    const lane = laneKey(reported) || this.#inState(traceState) || this.#inTrace(traceId);
    if (lane !== '' && traceId !== '') this.#remember(traceId, lane);
    return lane;
  }

  /** The lane that another span of the same trace has named. */
  byTrace(traceId: string): string {
    return this.#traces.get(traceId) ?? '';
  }

  #inState(traceState: string): string {
    if (!traceState.includes('surety=')) return '';
    const [, key = ''] = /(?:^|,)\s*surety=([^,\s]*)/.exec(traceState) ?? [];
    return laneKey(key);
  }

  #inTrace(traceId: string): string {
    if (this.#secret === '' || !traceId.startsWith(marker)) return '';
    const tag = traceId.slice(marker.length, 18);
    const known = this.#tags.get(tag);
    if (known !== undefined) return known;
    const lane = this.#authentic(tag) ? this.#names.laneOfNumber(tag.slice(0, 8)) : '';
    // An unknown number is not cached, because its lane may become known soon.
    if (lane !== '' && this.#tags.size < telemetryLimits.telemetryTraceLanesMax)
      this.#tags.set(tag, lane);
    return lane;
  }

  #authentic(tag: string): boolean {
    const mac = createHmac('sha256', Buffer.from(this.#secret, 'hex'));
    return (
      mac
        .update(Buffer.from(tag.slice(0, 8), 'hex'))
        .digest('hex')
        .slice(0, 6) === tag.slice(8)
    );
  }

  #remember(traceId: string, lane: string): void {
    if (this.#traces.has(traceId)) return;
    if (this.#traces.size >= telemetryLimits.telemetryTraceLanesMax) {
      const [oldest] = this.#traces.keys();
      this.#traces.delete(oldest as string);
    }
    this.#traces.set(traceId, lane);
  }
}
