import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Log, parseStrictJson, toFault, writePrivateFile } from '../../kernel/index.ts';
import { readTable } from './read-table.ts';
import type { RouteTable } from './table.ts';

/**
 * The last table of a router, for its successor after a kill. Lanes in it end by their own time,
 * and a lane is removed from it before it is closed.
 */
export class KeptTable {
  readonly #file: string;
  readonly #log: Log;

  constructor(directory: string, log: Log) {
    this.#file = join(directory, 'router-table.json');
    this.#log = log;
  }

  /** Undefined when there is none that could be trusted: then every key is refused. */
  read(): RouteTable | undefined {
    if (!existsSync(this.#file)) return undefined;
    try {
      return readTable(parseStrictJson(readFileSync(this.#file, 'utf8')));
    } catch (error) {
      this.#log('warn', 'kept-table-unreadable', { reason: toFault(error).message });
      return undefined;
    }
  }

  write(table: RouteTable): void {
    try {
      // Not waited for the disk: after a power failure there is nothing left to route to.
      writePrivateFile(this.#file, JSON.stringify(table), { flush: false });
    } catch (error) {
      // An older one could lead to a port that is another lane's by now.
      this.forget();
      this.#log('warn', 'table-not-kept', { reason: (error as Error).message });
    }
  }

  forget(): void {
    rmSync(this.#file, { force: true });
  }
}
