import type { Socket } from 'node:net';
import type { TrafficDeps } from '../routing/admit.ts';
import { directTarget } from './direct-target.ts';
import { Http1PassThrough } from './http1-passthrough.ts';
import { Http2PassThrough } from './http2-passthrough.ts';

/** How long the router looks at new HTTP/2 connections after a request with a key. */
const lookMs = 10_000;

/** The connections of one router port that are passed through to its service. */
export class PassingConnections {
  readonly #deps: TrafficDeps;
  readonly #port: number;
  readonly #http1 = new Map<Socket, Http1PassThrough>();
  readonly #http2 = new Map<Socket, Http2PassThrough>();
  #lookUntil = 0;

  constructor(deps: TrafficDeps, port: number) {
    this.#deps = deps;
    this.#port = port;
  }

  /** False when the router has to look at it from the beginning; later, `accept` gives it back. */
  add(socket: Socket, isHttp2: boolean, accept: () => void): boolean {
    const isAdded = isHttp2 ? this.#addHttp2(socket, accept) : this.#addHttp1(socket, accept);
    if (isAdded) socket.once('close', () => this.#remove(socket));
    return isAdded;
  }

  /** Resolves when no request that a new table sends elsewhere can be passed through any more. */
  async settle(): Promise<void> {
    const target = directTarget(this.#deps, this.#port, 'http2');
    const moved = [...this.#http2.values()].filter(
      (through) => through.target.port !== target?.port || through.target.host !== target.host,
    );
    await Promise.all(moved.map((through) => through.leave()));
  }

  /** Closes idle connections at once, and busy ones when their requests are done. */
  drain(): void {
    for (const through of this.#http1.values()) through.drain();
    for (const through of this.#http2.values()) void through.leave();
  }

  #addHttp1(socket: Socket, accept: () => void): boolean {
    const target = () => directTarget(this.#deps, this.#port, 'http1');
    if (target() === null) return false;
    const { book, callers } = this.#deps;
    const through = new Http1PassThrough(socket, {
      target,
      keyHeader: () => book().table.header,
      onBegin: () => callers.begin(socket),
      onEnd: () => callers.end(socket),
      takeOver: (unread) => {
        this.#giveBack(socket, unread, accept);
        socket.resume();
      },
    });
    this.#http1.set(socket, through);
    return true;
  }

  #addHttp2(socket: Socket, accept: () => void): boolean {
    const target = directTarget(this.#deps, this.#port, 'http2');
    if (target === null || performance.now() < this.#lookUntil) return false;
    const { book, callers } = this.#deps;
    // Its streams are not counted, so it is never idle.
    callers.begin(socket);
    const through = new Http2PassThrough(socket, {
      target,
      keyHeader: () => book().table.header,
      onKey: () => {
        this.#lookUntil = performance.now() + lookMs;
      },
      takeOver: (unread) => {
        callers.end(socket);
        // HTTP/2 reads by itself; what flowed past it now would be lost.
        this.#giveBack(socket, unread, accept);
      },
    });
    this.#http2.set(socket, through);
    socket.resume();
    return true;
  }

  #giveBack(socket: Socket, unread: Buffer, accept: () => void): void {
    this.#remove(socket);
    socket.pause();
    socket.unshift(unread);
    accept();
  }

  #remove(socket: Socket): void {
    this.#http1.delete(socket);
    this.#http2.delete(socket);
  }
}
