import { posix } from 'node:path';
import { fault } from '../kernel/index.ts';
import type { Place } from './port.ts';

/** Code in which no probe is placed. */
export interface BlockedCode {
  /** A path, the end of one, or a pattern such as `auth/**`. */
  readonly file: string;
  /** Without it, the whole file. */
  readonly function?: string | undefined;
}

/** Refuses a place in blocked code: the exact one, not what the request called it. */
export function checkPlace(place: Place, blocked: readonly BlockedCode[]): void {
  const rule = blocked.find((one) => isIn(place, one));
  if (rule === undefined) return;
  const { file, function: name } = rule;
  throw fault('PROBE_BLOCKED', {
    place: `${place.file}:${place.line}`,
    rule: name === undefined ? file : `${name} of ${file}`,
  });
}

function isIn(place: Place, { file, function: name }: BlockedCode): boolean {
  const files = [place.file, place.generated?.file ?? place.file];
  if (!files.some((path) => isFile(path, file))) return false;
  if (name === undefined) return true;
  const functions = [place.function, ...(place.within ?? [])];
  return functions.some((one) => one === name || one.endsWith(`.${name}`));
}

function isFile(path: string, rule: string): boolean {
  const plain = rule.replace(/^\.?\//, '');
  if (path === rule || path.endsWith(`/${plain}`)) return true;
  return [rule, `**/${plain}`].some(
    (pattern) =>
      posix.matchesGlob(path, pattern) ||
      posix.matchesGlob(withoutDots(path), withoutDots(pattern)),
  );
}

/** Versions run below `.surety`, and `**` matches no folder whose name begins with a dot. */
function withoutDots(text: string): string {
  return text.replaceAll(/(?<=^|\/)\./g, '·');
}
