import type { Socket } from 'node:net';
import type { TrafficDeps } from '../routing/admit.ts';
import { directTarget } from './direct-target.ts';
import { Http1PassThrough } from './http1-passthrough.ts';

/** The connections of one router port that are passed through to its service. */
export class PassingConnections {
  readonly #deps: TrafficDeps;
  readonly #port: number;
  readonly #open = new Map<Socket, Http1PassThrough>();

  constructor(deps: TrafficDeps, port: number) {
    this.#deps = deps;
    this.#port = port;
  }

  has(socket: Socket): boolean {
    return this.#open.has(socket);
  }

  /** False when the router has to look at it from the beginning; later, `accept` gives it back. */
  add(socket: Socket, accept: () => void): boolean {
    const target = () => directTarget(this.#deps, this.#port, 'http1');
    if (target() === null) return false;
    const { book, callers } = this.#deps;
    const through = new Http1PassThrough(socket, {
      target,
      keyHeader: () => book().table.header,
      onBegin: () => callers.begin(socket),
      onEnd: () => callers.end(socket),
      takeOver: (unread) => {
        this.#open.delete(socket);
        socket.pause();
        socket.unshift(unread);
        accept();
        socket.resume();
      },
    });
    this.#open.set(socket, through);
    socket.once('close', () => this.#open.delete(socket));
    return true;
  }

  /** Closes idle connections at once, and busy ones when their requests are done. */
  drain(): void {
    for (const through of this.#open.values()) through.drain();
  }
}
