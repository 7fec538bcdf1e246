import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tryOr } from '../../kernel/index.ts';

/** Descriptors for the socket, files and the event loop, besides connections. */
const reserved = 64;

/** Where the system does not tell its limit. */
const usualDescriptors = 1_024;

/**
 * The connections of callers. Each may need another one to a service, so callers get half of the
 * descriptors. When they are used up, the caller that has been idle longest makes room.
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

function descriptorLimit(): number {
  return tryOr(() => {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft = ''] = /^Max open files +(\w+)/m.exec(limits) ?? [];
    return Number(soft) || usualDescriptors;
  }, usualDescriptors);
}
