import { sharedLimits } from '../../kernel/index.ts';
import type { RequestHead } from '../inbound/head.ts';
import { findHeader } from '../inbound/headers.ts';
import { routerLimits } from '../limits.ts';

/** A request from outside with all that it takes to send it again, credentials included. */
export interface TakenRequest {
  readonly method: string;
  readonly path: string;
  /** Name, value, name, value: as they were handed to the service. */
  readonly headers: readonly string[];
  /** In base64; null when there was none, or more than is kept. */
  readonly body: string | null;
  readonly status: number;
  /** In base64, likewise. */
  readonly answer: string | null;
  /** The answer's content-encoding, where it has one. */
  readonly answerEncoding?: string;
}

/** What is taken of a lane, until somebody fetches it. */
interface Taking {
  readonly requests: TakenRequest[];
  begun: number;
  bytes: number;
}

/**
 * Requests of lanes that somebody has asked for. They stay in memory, and only until they are
 * fetched: what a suite sends may hold passwords, and no hop ever does.
 */
export class TakenTraffic {
  readonly #lanes = new Map<string, Taking>();
  #bytes = 0;

  /** From now on; what was taken before is dropped. */
  begin(key: string): void {
    this.#drop(key);
    const [oldest] = this.#lanes.keys();
    if (oldest !== undefined && this.#lanes.size >= routerLimits.takenLanesMax) {
      this.#drop(oldest);
    }
    this.#lanes.set(key, { requests: [], begun: 0, bytes: 0 });
  }

  /** In the order in which they ended, and an end to it; null if it had ended before. */
  fetch(key: string): readonly TakenRequest[] | null {
    const requests = this.#lanes.get(key)?.requests ?? null;
    this.#drop(key);
    return requests;
  }

  #drop(key: string): void {
    this.#bytes -= this.#lanes.get(key)?.bytes ?? 0;
    this.#lanes.delete(key);
  }

  /** The traffic of everybody goes through this process: no lane may fill its memory. */
  #keep(key: string, taking: Taking, request: TakenRequest): void {
    if (this.#lanes.get(key) !== taking) return;
    const bytes = (request.body?.length ?? 0) + (request.answer?.length ?? 0);
    taking.requests.push(request);
    taking.bytes += bytes;
    this.#bytes += bytes;
    if (this.#bytes > routerLimits.takenBytesMax) this.#drop(key);
  }

  /** For a new request; null when its traffic is not wanted or the limit is reached. */
  open(key: string, head: RequestHead): OpenTaking | null {
    const taking = this.#lanes.get(key);
    if (!taking || taking.begun >= sharedLimits.takenRequestsMax) return null;
    taking.begun++;
    return new OpenTaking(head, (request) => this.#keep(key, taking, request));
  }
}

export class OpenTaking {
  readonly sent: TakenBytes;
  readonly answered: TakenBytes;
  readonly #head: RequestHead;
  readonly #onEnd: (request: TakenRequest) => void;
  #encoding: string | undefined;

  constructor(
    head: RequestHead,
    onEnd: (request: TakenRequest) => void,
    bytesMax: BytesMax = taken,
  ) {
    this.sent = new TakenBytes(bytesMax.sent);
    this.answered = new TakenBytes(bytesMax.answered);
    this.#head = head;
    this.#onEnd = onEnd;
  }

  /** The answer begins, with these headers. */
  begin(raw: readonly string[]): void {
    this.#encoding = findHeader(raw, 'content-encoding');
  }

  end(status: number): void {
    const { method, path, lines } = this.#head;
    const [body, answer] = [this.sent.text(), this.answered.text()];
    const encoded = this.#encoding === undefined ? {} : { answerEncoding: this.#encoding };
    this.#onEnd({ method, path, headers: [...lines], body, status, answer, ...encoded });
  }
}

/** What is kept of a request, and of its answer. */
interface BytesMax {
  readonly sent: number;
  readonly answered: number;
}

const taken: BytesMax = {
  sent: sharedLimits.takenBodyBytesMax,
  answered: sharedLimits.takenBodyBytesMax,
};

class TakenBytes {
  readonly #bytesMax: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax) this.#chunks.length = 0;
    else this.#chunks.push(chunk);
  }

  text(): string | null {
    if (this.#bytes === 0 || this.#bytes > this.#bytesMax) return null;
    return Buffer.concat(this.#chunks).toString('base64');
  }
}
