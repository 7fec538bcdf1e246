import { dapLimits } from '../limits.ts';
import { DapFrameReader, encodeMessage } from './framing.ts';

/** Why a request to a debug adapter has no answer. */
export type DapFailure = 'refused' | 'timeout' | 'cancelled' | 'closed' | 'overloaded';

export class DapError extends Error {
  readonly failure: DapFailure;

  constructor(failure: DapFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** A connection to a debug adapter: its standard streams, or a socket. */
export interface DapStream {
  write(bytes: Buffer): void;
  onData(listener: (chunk: Buffer) => void): void;
  /** Called once, when nothing more arrives, with the reason. */
  onClose(listener: (reason: string) => void): void;
  close(): void;
}

/** The part of a message that this reads; every field may be missing or wrong. */
interface DapMessage {
  readonly type?: unknown;
  readonly request_seq?: unknown;
  readonly success?: unknown;
  readonly message?: unknown;
  readonly event?: unknown;
  readonly command?: unknown;
  readonly seq?: unknown;
  readonly body?: unknown;
}

export type DapBody = Readonly<Record<string, unknown>>;

interface DapRequestOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

interface WaitingRequest {
  readonly command: string;
  readonly resolve: (body: DapBody) => void;
  readonly reject: (error: DapError) => void;
}

/** One session with a debug adapter: requests with their answers, and events. */
export class DapClient {
  readonly #stream: DapStream;
  readonly #reader = new DapFrameReader();
  readonly #waiting = new Map<number, WaitingRequest>();
  readonly #listeners = new Map<string, Set<(body: DapBody) => void>>();
  readonly #closed = Promise.withResolvers<string>();
  #closedReason: string | undefined;
  #sequence = 0;

  constructor(stream: DapStream) {
    this.#stream = stream;
    stream.onData((chunk) => this.#receive(chunk));
    stream.onClose((reason) => this.#end(reason));
  }

  /** Resolves with the reason when the session is over. */
  get closed(): Promise<string> {
    return this.#closed.promise;
  }

  async request(
    command: string,
    args: object = {},
    { timeoutMs = dapLimits.dapAnswerMsMax, signal }: DapRequestOptions = {},
  ): Promise<DapBody> {
    if (this.#closedReason !== undefined) throw new DapError('closed', this.#closedReason);
    if (signal?.aborted) throw new DapError('cancelled', `${command} was cancelled`);
    if (this.#waiting.size >= dapLimits.dapRequestsMax) {
      const message = `${dapLimits.dapRequestsMax} requests wait for an answer already`;
      throw new DapError('overloaded', message);
    }
    const { promise, resolve, reject } = Promise.withResolvers<DapBody>();
    const sequence = this.#send({ type: 'request', command, arguments: args });
    this.#waiting.set(sequence, { command, resolve, reject });
    const timer = setTimeout(() => {
      this.#abandon(sequence, 'timeout', `${command} was not answered in ${timeoutMs} ms`);
    }, timeoutMs);
    const cancel = (): void => {
      this.#abandon(sequence, 'cancelled', `${command} was cancelled`);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    });
  }

  /** Returns a function that stops listening. */
  on(event: string, listener: (body: DapBody) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** The next event of this name. */
  async next(event: string, timeoutMs: number): Promise<DapBody> {
    const { promise, resolve, reject } = Promise.withResolvers<DapBody>();
    const stop = this.on(event, resolve);
    const timer = setTimeout(() => {
      reject(new DapError('timeout', `no event "${event}" in ${timeoutMs} ms`));
    }, timeoutMs);
    void this.closed.then((reason) => reject(new DapError('closed', reason)));
    return promise.finally(() => {
      clearTimeout(timer);
      stop();
    });
  }

  close(): void {
    this.#end('the session was closed');
  }

  #send(message: object): number {
    this.#sequence += 1;
    this.#stream.write(encodeMessage({ seq: this.#sequence, ...message }));
    return this.#sequence;
  }

  #abandon(sequence: number, failure: DapFailure, message: string): void {
    const waiting = this.#waiting.get(sequence);
    if (!waiting) return;
    this.#waiting.delete(sequence);
    // An adapter that does not know this request answers with an error that nobody waits for.
    this.#send({ type: 'request', command: 'cancel', arguments: { requestId: sequence } });
    waiting.reject(new DapError(failure, message));
  }

  #receive(chunk: Buffer): void {
    if (this.#closedReason !== undefined) return;
    try {
      for (const message of this.#reader.read(chunk)) this.#dispatch(message as DapMessage);
    } catch (error) {
      this.#end(`it does not keep to the protocol: ${(error as Error).message}`);
    }
  }

  #dispatch(message: DapMessage): void {
    if (message.type === 'response') this.#settle(message);
    else if (message.type === 'event') this.#emit(message);
    else if (message.type === 'request') this.#refuse(message);
  }

  #settle({ request_seq: sequence, success, message, body }: DapMessage): void {
    const waiting = this.#waiting.get(Number(sequence));
    if (!waiting) return;
    this.#waiting.delete(Number(sequence));
    if (success === true) waiting.resolve(asBody(body));
    else waiting.reject(new DapError('refused', errorText(message, body, waiting.command)));
  }

  #emit({ event, body }: DapMessage): void {
    for (const listener of this.#listeners.get(String(event)) ?? []) listener(asBody(body));
  }

  /** Adapters may ask for a terminal or a second session. There is none here. */
  #refuse({ seq, command }: DapMessage): void {
    const answer = { type: 'response', request_seq: seq, command, success: false };
    this.#send({ ...answer, message: 'not supported' });
  }

  #end(reason: string): void {
    if (this.#closedReason !== undefined) return;
    this.#closedReason = reason;
    this.#stream.close();
    for (const { reject } of this.#waiting.values()) reject(new DapError('closed', reason));
    this.#waiting.clear();
    this.#closed.resolve(reason);
  }
}

export function asBody(value: unknown): DapBody {
  return typeof value === 'object' && value !== null ? (value as DapBody) : {};
}

function errorText(message: unknown, body: unknown, command: string): string {
  const format = asBody(asBody(body).error).format;
  return String(format ?? message ?? `${command} failed`).slice(0, 500);
}
