import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Exchange } from '../exchange.ts';

/** Sends it on a connection that is kept, if one is idle, and hands back all that comes. */
export function sendHttp1(exchange: Exchange, pool: Dispatcher): void {
  const { head } = exchange;
  const body = head.hasBody && exchange.body ? new RequestBody(exchange) : null;
  pool.dispatch(
    {
      method: head.method as Dispatcher.HttpMethod,
      path: head.path,
      headers: head.lines,
      body: body as Readable | null,
    },
    new Relay(exchange, pool),
  );
}

/** undici's form of a listener that sees headers as they were written. */
export class Relay implements Dispatcher.DispatchHandler {
  protected readonly exchange: Exchange;
  readonly #pool: Dispatcher;

  constructor(exchange: Exchange, pool: Dispatcher) {
    this.exchange = exchange;
    this.#pool = pool;
  }

  onConnect(abort: (error?: Error) => void): void {
    this.exchange.onCancel(abort);
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void, statusMessage: string): boolean {
    const lines = raw.map(latin1);
    if (status < 200) this.exchange.interim(status, lines);
    else this.exchange.answer({ status, statusMessage, isOver: false }, lines);
    this.#resume = resume;
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.exchange.data(chunk)) return true;
    this.exchange.caller.onDrain(this.#resume);
    return false;
  }

  onComplete(trailers: readonly (string | Buffer)[] | null): void {
    this.exchange.complete(trailers?.map(latin1) ?? []);
  }

  onError(error: Error): void {
    if (isStale(error) && isRepeatable(this.exchange)) sendHttp1(this.exchange, this.#pool);
    else this.exchange.fail(error);
  }

  #resume: () => void = () => {};
}

function latin1(text: string | Buffer): string {
  return text.toString('latin1');
}

/** A connection that had been used before was closed without a word about this request. */
function isStale(error: Error & { code?: string; socket?: { bytesRead?: number } }): boolean {
  return error.code === 'UND_ERR_SOCKET' && (error.socket?.bytesRead ?? 0) > 0;
}

/** The service may have seen it: only what has no effects by definition is sent again. */
function isRepeatable({ head, caller }: Exchange): boolean {
  return (head.method === 'GET' || head.method === 'HEAD') && !head.hasBody && caller.status === 0;
}

type Listener = (...args: unknown[]) => void;

/**
 * The body of a request as undici takes it. It destroys what it is given when the other side fails,
 * but the caller is still to hear why; and what passes by is seen here, when it is really read.
 */
class RequestBody {
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
