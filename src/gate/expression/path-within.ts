/**
 * Whether a path is a directory or inside of it, by names alone; undefined if either is not
 * absolute. Does not follow links: whoever opens the path has to check those.
 */
export function isWithin(path: string, directory: string): boolean | undefined {
  const [inner, outer] = [normalPath(path), normalPath(directory)];
  if (inner === undefined || outer === undefined) return undefined;
  return inner === outer || inner.startsWith(outer === '/' ? outer : `${outer}/`);
}

/** Normalises `.`, `..` and empty names. Refuses relative paths, backslashes and NUL. */
export function normalPath(path: string): string | undefined {
  if (!path.startsWith('/') || path.includes('\\') || path.includes('\0')) return undefined;
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}
