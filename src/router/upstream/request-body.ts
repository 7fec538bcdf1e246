import type { Readable } from 'node:stream';
import type { Exchange } from '../exchange.ts';

type Listener = (...args: unknown[]) => void;

/**
 * The body of a request as undici takes it. It destroys what it is given when the other side fails,
 * but the caller is still to hear why; and what passes by is seen here, when it is really read.
 */
export class RequestBody {
  /** Without it undici would destroy the source itself once it has read it. */
  readonly _readableState: { autoDestroy: true } = { autoDestroy: true };
  readonly #source: Readable;
  readonly #exchange: Exchange;
  #onData: ((chunk: Buffer) => void) | null = null;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#source = exchange.body as Readable;
  }

  get readableEnded(): boolean {
    return this.#source.readableEnded;
  }

  on(event: string, listener: Listener): this {
    if (event === 'data') this.#listen(listener as (chunk: Buffer) => void);
    else this.#source.on(event, listener);
    return this;
  }

  off(event: string, listener: Listener): this {
    if (event !== 'data') this.#source.off(event, listener);
    else this.#stop();
    return this;
  }

  removeListener(event: string, listener: Listener): this {
    return this.off(event, listener);
  }

  resume(): void {
    this.#source.resume();
  }

  pause(): void {
    this.#source.pause();
  }

  pipe(target: NodeJS.WritableStream): NodeJS.WritableStream {
    return this.#source.pipe(target);
  }

  destroy(): void {
    this.#stop();
  }

  #listen(listener: (chunk: Buffer) => void): void {
    this.#onData = (chunk) => {
      this.#exchange.sent(chunk);
      listener(chunk);
    };
    this.#source.on('data', this.#onData);
  }

  #stop(): void {
    if (this.#onData) this.#source.off('data', this.#onData);
    this.#onData = null;
  }
}
