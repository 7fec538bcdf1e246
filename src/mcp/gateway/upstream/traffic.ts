import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { mcpLimits } from '../../limits.ts';

export type TrafficKind = 'notification' | 'request' | 'unreadable';

interface TrafficEvents {
  /** A line of its error output. */
  onErrorLine(line: string): void;
  /** It has used up its budget, or broken a limit. */
  onCutOff(reason: string): void;
}

/**
 * What one server makes the daemon read without being asked. Answers to calls are bounded by their
 * size and by who calls; the rest has a budget, which fills up again with time.
 */
export class Traffic {
  readonly #events: TrafficEvents;
  readonly #now: () => number;
  readonly #messages: Bucket;
  readonly #requests: Bucket;
  readonly #bytes: Bucket;
  readonly #errorBytes: Bucket;
  #heldBytes = 0;
  #answeredBytes = 0;
  #questions = 0;

  constructor(events: TrafficEvents, now: () => number = () => performance.now()) {
    this.#events = events;
    this.#now = now;
    this.#messages = new Bucket(mcpLimits.upstreamUnaskedPerMinuteMax);
    this.#requests = new Bucket(mcpLimits.upstreamRequestsPerMinuteMax);
    this.#bytes = new Bucket(mcpLimits.upstreamUnaskedBytesPerMinuteMax);
    this.#errorBytes = new Bucket(mcpLimits.upstreamErrorBytesPerMinuteMax);
  }

  /** All that it has answered so far. */
  get answeredBytes(): number {
    return this.#answeredBytes;
  }

  answered(bytes: number): void {
    this.#answeredBytes += bytes;
  }

  /** Whether a message is handed on. `isAwaited`: somebody has asked for this answer. */
  admits(message: JSONRPCMessage, text: string, isAwaited: boolean): boolean {
    if (!('method' in message) && isAwaited) {
      this.answered(text.length);
      return true;
    }
    const kind = 'method' in message && 'id' in message ? 'request' : 'notification';
    return this.count(kind, text.length);
  }

  count(kind: TrafficKind, bytes: number): boolean {
    const now = this.#now();
    const { upstreamUnaskedPerMinuteMax, upstreamRequestsPerMinuteMax } = mcpLimits;
    if (!this.#messages.take(1, now)) {
      return this.cutOff(`it sent more than ${upstreamUnaskedPerMinuteMax} messages in a minute`);
    }
    if (!this.#takeBytes(bytes)) return false;
    if (kind === 'request' && !this.#requests.take(1, now)) {
      return this.cutOff(`it sent more than ${upstreamRequestsPerMinuteMax} requests in a minute`);
    }
    return true;
  }

  /** For one message that has not ended yet: called with how much of it is kept now. */
  holder(): (bytes: number) => void {
    let held = 0;
    return (bytes) => {
      this.#heldBytes += bytes - held;
      held = bytes;
      const limit = mcpLimits.upstreamHeldBytesMax;
      if (this.#heldBytes > limit) this.cutOff(`it has ${limit} bytes of unfinished messages`);
    };
  }

  /** What it has to say for people is dropped above its budget. */
  mayLog(text: string): boolean {
    return this.#errorBytes.take(text.length, this.#now());
  }

  said(line: string): void {
    if (this.#takeBytes(line.length) && this.mayLog(line)) this.#events.onErrorLine(line);
  }

  /** Has a question of the server answered, unless too many of them are open. */
  async ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    const limit = mcpLimits.upstreamQuestionsMax;
    if (this.#questions >= limit) throw new Error(`${limit} requests of this server are open`);
    this.#questions += 1;
    try {
      return await question();
    } finally {
      this.#questions -= 1;
    }
  }

  #takeBytes(bytes: number): boolean {
    if (this.#bytes.take(bytes, this.#now())) return true;
    const limit = mcpLimits.upstreamUnaskedBytesPerMinuteMax;
    return this.cutOff(`it sent more than ${limit} bytes in a minute without being asked`);
  }

  cutOff(reason: string): false {
    this.#events.onCutOff(reason);
    return false;
  }
}

const minuteMs = 60_000;

/** A minute's worth may come at once; from then on it fills up evenly. */
class Bucket {
  readonly #perMinute: number;
  #left: number;
  #at = 0;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
  }

  take(amount: number, now: number): boolean {
    const more = ((now - this.#at) / minuteMs) * this.#perMinute;
    this.#left = Math.min(this.#perMinute, this.#left + more);
    this.#at = now;
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}
