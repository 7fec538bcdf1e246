import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What Go compiled for the baseline. Without it, each lane would compile the whole standard library
 * again: a confined program sees an empty home. Builds of a change only read it, so that no change
 * can leave anything in it for another.
 */
export class GoCache {
  readonly directory: string;
  #exists = false;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** For the environment of a step. */
  variables(): Readonly<Record<string, string>> {
    if (!this.#exists) this.#create();
    this.#exists = true;
    const debug = process.env.GODEBUG ? `${process.env.GODEBUG},` : '';
    // Go indexes sources older than two seconds, and fails where it cannot store the index.
    return { GOCACHE: this.directory, GODEBUG: `${debug}goindex=0` };
  }

  /** Go wants to make these itself, and gives up where it may not. */
  #create(): void {
    for (let part = 0; part < 256; part++) {
      const name = part.toString(16).padStart(2, '0');
      mkdirSync(join(this.directory, name), { recursive: true, mode: 0o700 });
    }
  }
}
