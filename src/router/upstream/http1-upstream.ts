import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Exchange } from '../exchange.ts';
import { RequestBody } from './request-body.ts';

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
