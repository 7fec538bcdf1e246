import { hookLimits } from '../limits.ts';

/** A file as it was found: null if there is none, or it is no text of a reasonable size. */
export interface FileFact {
  readonly text: string | null;
  readonly isDirectory: boolean;
  /** Where the path leads after links, also if only its parent exists. */
  readonly real: string | null;
}

/**
 * What is known about files. The interpreter reads no disk: it notes which files it would have
 * looked at, and runs again when somebody has.
 */
export class FileFacts {
  readonly wanted = new Set<string>();
  /** Whether there are more files than are looked at. */
  isFull = false;
  readonly #known: ReadonlyMap<string, FileFact>;

  constructor(known: ReadonlyMap<string, FileFact> = new Map()) {
    this.#known = known;
  }

  at(path: string): FileFact | undefined {
    const found = this.#known.get(path);
    if (found || path.includes('*')) return found;
    if (this.wanted.size < hookLimits.filesMax) this.wanted.add(path);
    else this.isFull = true;
    return undefined;
  }

  realPath(path: string): string {
    return this.at(path)?.real ?? path;
  }
}
