import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { readForeignText, readText } from '../../document/index.ts';
import { sharedLimits, tryOr } from '../../kernel/index.ts';

const skipped = new Set(['node_modules', '.git', '.surety', 'dist', 'build', 'vendor', '.venv']);
const filesMax = 5_000;

/** The files of a repository, as far as they tell how its services are started. */
export class Repository {
  readonly root: string;
  readonly #depthMax: number;
  #files: readonly string[] | undefined;

  /** Usually three levels down: deeper ones belong to something else. */
  constructor(root: string, depthMax = 3) {
    this.root = root;
    this.#depthMax = depthMax;
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  isDirectory(path: string): boolean {
    return statSync(join(this.root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  }

  /** Empty when there is none, or one of a size that nobody wrote by hand. */
  text(path: string): string {
    return tryOr(() => readText(join(this.root, path), sharedLimits.configBytesMax), '');
  }

  yaml(path: string): unknown[] {
    return readForeignText(this.text(path));
  }

  json(path: string): Record<string, unknown> {
    return tryOr(() => JSON.parse(this.text(path)), {});
  }

  files(): readonly string[] {
    this.#files ??= this.#list('', 0).slice(0, filesMax);
    return this.#files;
  }

  #list(directory: string, depth: number): string[] {
    const entries = readdirSync(join(this.root, directory), { withFileTypes: true });
    return entries.flatMap((entry) => {
      const path = posix.join(directory, entry.name);
      if (entry.isFile()) return [path];
      if (!entry.isDirectory() || skipped.has(entry.name) || depth >= this.#depthMax) return [];
      return this.#list(path, depth + 1);
    });
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
