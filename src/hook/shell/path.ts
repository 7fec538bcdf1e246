import type { ExpandedWord } from './field.ts';

/** `/a/./b/../c` as `/a/c`. */
export function normalize(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

/** The absolute paths that a field may name; undefined if that is not known. */
export function absolutePaths(
  { kind, text }: ExpandedWord,
  directories: readonly string[],
): readonly string[] | undefined {
  if (kind === 'unknown') return undefined;
  // Wildcards stand for names, so a way up behind one of them leads to a place that is not known.
  if (kind === 'pattern' && /\*.*\/\.\.(?:\/|$)/.test(text)) return undefined;
  if (text.startsWith('/')) return [normalize(text)];
  return directories.map((directory) => normalize(`${directory}/${text}`));
}

export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
