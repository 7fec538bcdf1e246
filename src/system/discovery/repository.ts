import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { readForeignText, readText } from '../../document/index.ts';
import { sharedLimits, tryOr } from '../../kernel/index.ts';

const skipped = new Set(['node_modules', 'dist', 'build', 'vendor', 'venv', 'target', 'obj']);
const filesMax = 20_000;

/** The files of a repository, as far as they tell how its services are started. */
export class Repository {
  readonly root: string;
  readonly #depthMax: number;
  #files: readonly string[] | undefined;

  /** Deeper ones belong to something else. */
  constructor(root: string, depthMax = 5) {
    this.root = root;
    this.#depthMax = depthMax;
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  isDirectory(path: string): boolean {
    return statSync(join(this.root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  }

  /**
   * Empty when there is none, or one of a size that nobody wrote by hand. What is outside of the
   * repository is none of it: what is read here is written to surety.yaml.
   */
  text(path: string): string {
    return tryOr(() => readText(this.#inside(path), sharedLimits.configBytesMax), '');
  }

  #inside(path: string): string {
    const file = realpathSync(join(this.root, path));
    if (file.startsWith(`${realpathSync(this.root)}/`)) return file;
    throw new Error(`${path} is outside of the repository`);
  }

  yaml(path: string): unknown[] {
    return readForeignText(this.text(path));
  }

  json(path: string): Record<string, unknown> {
    return tryOr(() => JSON.parse(this.text(path)), {});
  }

  /** Those further up come first. */
  files(): readonly string[] {
    this.#files ??= this.#list().slice(0, filesMax);
    return this.#files;
  }

  #list(): string[] {
    const files: string[] = [];
    let folders = [''];
    for (let depth = 0; depth <= this.#depthMax && files.length < filesMax; depth++) {
      folders = folders.flatMap((folder) => this.#look(folder, files));
    }
    return files;
  }

  /** Adds the files of a folder, and gives back the folders in it. */
  #look(folder: string, files: string[]): string[] {
    const entries = readdirSync(join(this.root, folder), { withFileTypes: true });
    const named = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    files.push(
      ...named.filter((entry) => entry.isFile()).map(({ name }) => posix.join(folder, name)),
    );
    return named
      .filter(
        (entry) => entry.isDirectory() && !skipped.has(entry.name) && !entry.name.startsWith('.'),
      )
      .map(({ name }) => posix.join(folder, name));
  }
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** A command as words, as one line for a shell. */
export function shellLine(words: readonly unknown[]): string | undefined {
  if (words.length === 0) return undefined;
  return words.map((word) => quoted(String(word))).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
