import { posix } from 'node:path';
import { maskCode } from './code-mask.ts';
import type { SourceFile } from './source-files.ts';

interface Import {
  /** Absent where it is computed, so that nobody can tell what it imports. */
  readonly specifier?: string;
  readonly offset: number;
  /** `import type` and `export type`: nothing is loaded. */
  readonly isType?: boolean;
}

// Valid code has a string directly after these words only where a module is named. They are
// looked up in the mask, where quotes hold nothing but spaces. `a.from` is a member; `...import`
// is not.
const word = String.raw`(?<![\w$#]|[^.]\.)`;
const literal = String.raw`(['"${'`'}]) *\1`;
const named = new RegExp(
  `${word}(?:(?:from|import)\\s*|(?:import|require)\\s*\\(\\s*)${literal}`,
  'g',
);
const computed = new RegExp(`${word}import\\s*\\((?!\\s*${literal})`, 'g');

/** Every module that a file names: import, export … from, import type, import(), require(). */
export function findImports({ text }: SourceFile): Import[] {
  const mask = maskCode(text);
  const found: Import[] = [...mask.matchAll(named)].map((match) => {
    const end = match.index + match[0].length - 1;
    const start = mask.lastIndexOf(mask[end] as string, end - 1) + 1;
    const statement = mask.slice(mask.lastIndexOf(';', match.index - 1) + 1, match.index);
    const isType = /\b(?:import|export) type /.test(statement);
    return { specifier: text.slice(start, end), offset: match.index, isType };
  });
  const unknown = [...mask.matchAll(computed)].map(({ index }) => ({ offset: index }));
  return [...found, ...unknown].sort((a, b) => a.offset - b.offset);
}

/** The files of this repository among them. */
export function importedPaths(file: SourceFile): string[] {
  return findImports(file)
    .map(({ specifier = '' }) => specifier)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.join(posix.dirname(file.path), specifier));
}
