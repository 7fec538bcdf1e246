import { createHmac } from 'node:crypto';
import { laneKey } from '../lane-key.ts';
import { telemetryLimits } from '../limits.ts';
import type { KnownNames } from './names.ts';

/** Trace ids that begin with this tell the number of a lane, and a signature of it. */
const marker = '5e1a';

export interface LaneFinderDeps {
  readonly names: KnownNames;
  /** 32 bytes in hex, by which a tag in a trace id is known to be real; empty without any. */
  readonly traceSecret: string;
}

/** For which lane something was said, by whatever tells it. */
export class LaneFinder {
  readonly #names: KnownNames;
  readonly #secret: string;
  /** Lanes by trace; the oldest make room. */
  readonly #traces = new Map<string, string>();
  readonly #tags = new Map<string, string>();

  constructor({ names, traceSecret }: LaneFinderDeps) {
    this.#names = names;
    this.#secret = traceSecret;
  }

  /** What was said outright counts first; a key that can't be one is nobody's. */
  find(reported: string, traceState: string, traceId: string): string {
    const lane = laneKey(reported) || this.#inState(traceState) || this.#inTrace(traceId);
    if (lane !== '' && traceId !== '') this.#remember(traceId, lane);
    return lane;
  }

  /** What another span of the same trace has said. */
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
    // One that is not known yet may be told soon.
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
