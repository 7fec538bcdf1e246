/**
 * Whether a path lies in a directory or is it, by its names alone; undefined when either is no
 * absolute path. Links are not followed: whoever opens the path has to see to those.
 */
export function isWithin(path: string, directory: string): boolean | undefined {
  const [inner, outer] = [normalPath(path), normalPath(directory)];
  if (inner === undefined || outer === undefined) return undefined;
  return inner === outer || inner.startsWith(outer === '/' ? outer : `${outer}/`);
}

/** Without `.`, `..` and empty names. Relative paths, backslashes and NUL are refused. */
export function normalPath(path: string): string | undefined {
  if (!path.startsWith('/') || path.includes('\\') || path.includes('\0')) return undefined;
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}
