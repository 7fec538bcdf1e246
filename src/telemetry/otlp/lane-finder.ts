import { createHmac } from 'node:crypto';
import { laneKey } from '../lane-key.ts';
import { telemetryLimits } from '../limits.ts';
import type { KnownNames } from './names.ts';
import { unprovenPrefix } from './senders.ts';

/** Trace ids with this prefix contain the number of a lane and its signature. */
const marker = '5e1a';

export interface LaneFinderDeps {
  readonly names: KnownNames;
  /** 32 bytes in hex that verify the tag in a trace id; empty if there is none. */
  readonly traceSecret: string;
}

/** How the rows of one message get their lanes. */
export interface LaneSource {
  /** An explicit lane counts first; an invalid key counts as none. */
  find(reported: string, traceState: string, traceId: string): string;
  /** The lane that another span of the same trace has named. */
  byTrace(traceId: string): string;
}

/** Finds the lane of a span, log record or metric by everything that identifies it. */
export class LaneFinder implements LaneSource {
  readonly #names: KnownNames;
  readonly #secret: string;
  /** Lanes by trace; the oldest are dropped first. */
  readonly #traces = new Map<string, string>();
  readonly #tags = new Map<string, string>();

  constructor({ names, traceSecret }: LaneFinderDeps) {
    this.#names = names;
    this.#secret = traceSecret;
  }

  /**
   * For a sender without proof. Its rows are kept apart from those of the lane, and what it says
   * about a trace moves no row of others.
   */
  readonly unproven: LaneSource = {
    find: (...reported) => unproven(this.#look(...reported)),
    byTrace: (traceId) => unproven(this.byTrace(traceId)),
  };

  find(reported: string, traceState: string, traceId: string): string {
    const lane = this.#look(reported, traceState, traceId);
    if (lane !== '' && traceId !== '') this.#remember(traceId, lane);
    return lane;
  }

  #look(reported: string, traceState: string, traceId: string): string {
    return laneKey(reported) || this.#inState(traceState) || this.#inTrace(traceId);
  }

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

const unproven = (lane: string): string => (lane === '' ? '' : `${unprovenPrefix}${lane}`);
