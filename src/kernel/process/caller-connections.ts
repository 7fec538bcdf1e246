import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { tryOr } from '../try-or.ts';

/** Descriptors for the socket, files and the event loop, besides connections. */
const reserved = 64;

/** Where the system does not tell its limit. */
const usualDescriptors = 1_024;

/**
 * The connections of callers to a server. Each may need another descriptor, so callers get half of
 * them. When these are used up, the caller that has been idle longest makes room: otherwise anybody
 * on this machine could keep all others out.
 */
export class CallerConnections {
  readonly #max: number;
  /** The one that has been idle longest is first. */
  readonly #idle = new Set<Socket>();
  readonly #busy = new Map<Socket, number>();

  constructor(max: number = Math.max(8, Math.floor((descriptorLimit() - reserved) / 2))) {
    this.#max = max;
  }

  /** Whether there is room for one more, which is idle until its first request. */
  add(socket: Socket): boolean {
    if (this.#idle.size + this.#busy.size >= this.#max && !this.#makeRoom()) return false;
    this.#idle.add(socket);
    socket.once('close', () => {
      this.#idle.delete(socket);
      this.#busy.delete(socket);
    });
    return true;
  }

  /** It may not be closed until all that began has ended. */
  begin(socket: Socket): void {
    this.#idle.delete(socket);
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
  }

  end(socket: Socket): void {
    const left = (this.#busy.get(socket) ?? 1) - 1;
    if (left > 0) return void this.#busy.set(socket, left);
    this.#busy.delete(socket);
    if (!socket.destroyed) this.#idle.add(socket);
  }

  #makeRoom(): boolean {
    const [longest] = this.#idle;
    if (!longest) return false;
    this.#idle.delete(longest);
    longest.destroy();
    return true;
  }
}

/** Watches the connections and requests of a server over HTTP/1. */
export function limitCallers(server: Server, callers: CallerConnections): void {
  server.on('connection', (socket: Socket) => {
    if (!callers.add(socket)) socket.destroy();
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    callers.begin(socket);
    response.once('close', () => callers.end(socket));
  });
}

function descriptorLimit(): number {
  return tryOr(() => {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft = ''] = /^Max open files +(\w+)/m.exec(limits) ?? [];
    return Number(soft) || usualDescriptors;
  }, usualDescriptors);
}
