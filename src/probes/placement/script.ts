import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../kernel/index.ts';

/** A file that the process has loaded. */
export interface Script {
  readonly id: string;
  readonly path: string;
  /** SHA-256 by V8 of the text that runs; with stripped types, blanks are in their place. */
  readonly hash: string;
  readonly lines: number;
  readonly chars: number;
  /** Address of its source map, `data:` for one inside the text, or nothing. */
  readonly map: string;
  readonly isModule: boolean;
}

export function scriptOf(parsed: JsonObject): Script {
  return {
    id: String(parsed.scriptId),
    path: pathOf(String(parsed.url)),
    hash: String(parsed.hash),
    lines: Number(parsed.endLine) + 1,
    chars: Number(parsed.length),
    map: String(parsed.map),
    isModule: parsed.isModule === true,
  };
}

/** Loaders add a query to load a file again, and old versions of V8 name CommonJS files by path. */
function pathOf(url: string): string {
  const plain = url.replace(/[?#].*$/s, '');
  if (!/^file:\/\/\//.test(plain)) return url;
  try {
    return fileURLToPath(plain);
  } catch {
    return url;
  }
}

export type Matcher = (path: string) => boolean;

/** Node runs the file behind a symbolic link, under its own name. */
export async function createMatcher(file: string): Promise<Matcher> {
  if (file.startsWith('/')) {
    const real = await realpath(file).catch(() => file);
    return (path) => path === file || path === real;
  }
  const end = `/${file.replace(/^\.\//, '')}`;
  return (path) => path.endsWith(end);
}

/** Loaded files with the same name, for who asked for one that is not loaded. */
export function findNamesakes(scripts: readonly Script[], file: string): string {
  const same = scripts.filter(({ path }) => basename(path) === basename(file)).slice(0, 5);
  return same.map(({ path }) => path).join(', ') || `none is called ${basename(file)}`;
}
