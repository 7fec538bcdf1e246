import { connect, type Socket } from 'node:net';
import { type HttpAnswer, HttpAnswerReader } from './http-answer.ts';

/** Shorter than servers keep a connection: one that they just closed would put a call in doubt. */
const idleMsMax = 4_000;
const idleLinesMax = 256;

/** A request under way. */
export interface ForwardedRequest {
  readonly answer: Promise<HttpAnswer>;
  /** Nobody waits for it any more. */
  abandon(reason: unknown): void;
}

/**
 * Connections to one server, each with one request at a time. Node's own client takes longer for
 * a call than all of the gate's rules; see decision 27.
 */
export class HttpLines {
  readonly #host: string;
  readonly #port: number;
  readonly #idle: Line[] = [];
  #isClosed = false;

  constructor({ hostname, port }: URL) {
    this.#host = hostname.replace(/^\[|\]$/g, '');
    this.#port = Number(port || 80);
  }

  get idle(): number {
    return this.#idle.length;
  }

  send(request: string): ForwardedRequest {
    const line = this.#take();
    const answer = line.exchange(request).then((got) => {
      if (got.isReusable && !this.#isClosed) this.#keep(line);
      else line.end();
      return got;
    });
    return { answer, abandon: (reason) => line.end(reason) };
  }

  close(): void {
    this.#isClosed = true;
    for (const line of this.#idle.splice(0)) line.end();
  }

  /** The one that was used last: those before it may have been closed meanwhile. */
  #take(): Line {
    for (let line = this.#idle.pop(); line; line = this.#idle.pop()) {
      if (line.isFresh()) return line;
      line.end();
    }
    return new Line(connect({ host: this.#host, port: this.#port, noDelay: true }));
  }

  #keep(line: Line): void {
    line.rest();
    this.#idle.push(line);
    if (this.#idle.length > idleLinesMax) this.#idle.shift()?.end();
  }
}

class Line {
  readonly #socket: Socket;
  #reader = new HttpAnswerReader();
  #waiting: PromiseWithResolvers<HttpAnswer> | undefined;
  #restsSince = 0;
  #isOver = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#took(chunk));
    socket.on('end', () => this.#closed());
    socket.on('error', (error) => this.end(error));
    socket.on('close', () => this.#closed());
  }

  exchange(request: string): Promise<HttpAnswer> {
    this.#reader = new HttpAnswerReader();
    this.#waiting = Promise.withResolvers<HttpAnswer>();
    this.#socket.ref().write(request);
    return this.#waiting.promise;
  }

  /** An idle connection keeps no process from leaving. */
  rest(): void {
    this.#restsSince = performance.now();
    this.#socket.unref();
  }

  isFresh(): boolean {
    return !this.#isOver && performance.now() - this.#restsSince < idleMsMax;
  }

  end(reason: unknown = new Error('it was ended')): void {
    this.#isOver = true;
    this.#socket.destroy();
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
  }

  #took(chunk: Buffer): void {
    try {
      // Whoever speaks without being asked is not asked again.
      if (this.#waiting) this.#settle(this.#reader.take(chunk));
      else this.end();
    } catch (error) {
      this.end(error);
    }
  }

  #closed(): void {
    this.#settle(this.#reader.end());
    if (!this.#isOver) this.end(hangUp());
  }

  #settle(answer: HttpAnswer | undefined): void {
    if (!answer) return;
    this.#waiting?.resolve(answer);
    this.#waiting = undefined;
  }
}

function hangUp(): Error {
  return Object.assign(new Error('the server hung up'), { code: 'ECONNRESET' });
}
