import type { RouteTable } from '../table/table.ts';
import type { Entrance } from './entrance.ts';
import { listenTraffic } from './listen.ts';

/**
 * Lanes follow each other. A client sends a call again whose connection was ended under it, but
 * only once: callers must not have to connect again for every lane.
 */
const releaseAfterMs = 1_000;

/**
 * The ports in addition to the router's own. A door is opened before the table that names it is in
 * force.
 */
export class DoorListeners {
  readonly #open = new Map<number, Entrance>();
  readonly #create: (port: number) => Entrance;

  #releasing: NodeJS.Timeout | undefined;

  constructor(create: (port: number) => Entrance) {
    this.#create = create;
  }

  /** All that are missing, or none. */
  async open({ doors = [] }: RouteTable): Promise<void> {
    const missing = doors.map(({ port }) => port).filter((port) => !this.#open.has(port));
    const opened = missing.map((port) => [port, this.#create(port)] as const);
    const results = await Promise.allSettled(
      opened.map(([port, { server }]) => listenTraffic(server, port)),
    );
    const failure = results.find(({ status }) => status === 'rejected');
    if (failure) {
      for (const [, { server }] of opened) server.close();
      throw (failure as PromiseRejectedResult).reason;
    }
    for (const [port, entrance] of opened) this.#open.set(port, entrance);
  }

  /** Closes all other doors to new connections; open requests may finish. */
  closeOthers({ doors = [] }: RouteTable): void {
    const kept = new Set(doors.map(({ port }) => port));
    for (const [port, entrance] of this.#open) {
      if (kept.has(port)) continue;
      this.#open.delete(port);
      entrance.server.close();
      entrance.drain();
    }
  }

  /** Resolves when all that begins is treated by the new table. */
  async settle(): Promise<void> {
    clearTimeout(this.#releasing);
    this.#releasing = setTimeout(() => {
      for (const entrance of this.all()) entrance.release();
    }, releaseAfterMs).unref();
    await Promise.all(this.all().map((entrance) => entrance.settle()));
  }

  all(): readonly Entrance[] {
    return [...this.#open.values()];
  }
}
