import { createHmac, randomBytes } from 'node:crypto';
import { type Clock, type Instant, sharedLimits } from '../../kernel/index.ts';
import type { Caller } from '../inbound/caller.ts';
import type { RequestHead } from '../inbound/head.ts';
import { routerLimits } from '../limits.ts';
import { OpenTaking, type TakenRequest } from './taken-traffic.ts';

/** A request without a key that came by the front door, until somebody fetches it. */
export interface CapturedRequest extends TakenRequest {
  readonly at: Instant;
  /** Equal for all requests of one client, and anonymous. */
  readonly client: string;
}

const bytesMax = {
  sent: sharedLimits.recordedBodyBytesMax,
  answered: 4 * sharedLimits.recordedBodyBytesMax,
};

/**
 * The requests to the baseline, kept in memory while a reader keeps fetching them. Recording stops
 * soon after the last fetch, and requests beyond the limits are not kept.
 */
export class RecordedTraffic {
  readonly #clock: Clock;
  readonly #salt = randomBytes(32);
  #requests: CapturedRequest[] = [];
  #begun = 0;
  #bytes = 0;
  #perMille = 0;
  #until: Instant = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What came since the last time, and on for a while, of so many clients in a thousand. */
  fetch(perMille: number): readonly CapturedRequest[] {
    const requests = this.#requests;
    this.#requests = [];
    this.#begun = 0;
    this.#bytes = 0;
    this.#perMille = perMille;
    this.#until = perMille > 0 ? this.#clock.now() + routerLimits.recordingLeaseMs : 0;
    return requests;
  }

  get isWanted(): boolean {
    return this.#until > this.#clock.now();
  }

  /** For a new request; null when no recording is wanted or the limit is reached. */
  open(head: RequestHead, caller: Caller): OpenTaking | null {
    if (this.#until === 0) return null;
    const at = this.#clock.now();
    if (at >= this.#until) return this.#stop();
    const isPlain = caller.protocol === 'http1' || caller.protocol === 'http2';
    if (!isPlain || this.#begun >= routerLimits.recordedBufferRequestsMax) return null;
    const client = this.#clientOf(head, caller);
    if (Number.parseInt(client.slice(0, 8), 16) % 1_000 >= this.#perMille) return null;
    this.#begun++;
    const keep = (request: TakenRequest): void => {
      // Without its body it would be another request.
      if (!head.hasBody || request.body !== null) this.#keep({ ...request, at, client });
    };
    return new OpenTaking(head, keep, bytesMax);
  }

  #keep(request: CapturedRequest): void {
    const bytes = (request.body?.length ?? 0) + (request.answer?.length ?? 0);
    if (this.#bytes + bytes > routerLimits.recordedBufferBytesMax) return;
    this.#bytes += bytes;
    this.#requests.push(request);
  }

  #stop(): null {
    this.fetch(0);
    return null;
  }

  /** Identified by its credentials, or by the connection if it has none. */
  #clientOf({ headers }: RequestHead, { connection }: Caller): string {
    const { authorization, cookie, 'x-api-key': apiKey } = headers;
    const proof = [authorization, cookie, apiKey].filter((value) => value !== undefined);
    const known = proof.length > 0 ? JSON.stringify(proof) : connection;
    return createHmac('sha256', this.#salt).update(known).digest('hex').slice(0, 16);
  }
}
