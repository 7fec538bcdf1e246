import { type Hunk, parseDiff } from '../lanes/index.ts';
import type { ChangedPlace } from './api-schema.ts';

const namesMax = 5;
const source = /\.[cm]?[jt]s$/;
const testFile = /\.(?:test|spec)\.[cm]?[jt]s$/;

/** Pure, on a diff that git made. */
export function changedPlaces(diff: string): ChangedPlace[] {
  return parseDiff(diff)
    .filter(({ to }) => source.test(to) && !testFile.test(to))
    .flatMap(({ to, hunks }) => hunks.flatMap((hunk) => placesIn(to, hunk)));
}

function placesIn(file: string, { lines }: Hunk): ChangedPlace[] {
  let added: string[] = [];
  return lines.flatMap(({ kind, text, lineBefore, lineAfter }) => {
    if (kind === 'added') added.push(text);
    if (kind !== 'context') return [];
    const used = assignedNames(added).filter((name) => mentions(text, name));
    added = [];
    if (used.length === 0) return [];
    const names = used.slice(0, namesMax);
    return [{ file, line: lineAfter, lineBefore, text: text.trim(), names }];
  });
}

/** What `const x = …` and `const { a, b: c } = …` give a value to. */
function assignedNames(lines: readonly string[]): string[] {
  const names = lines.flatMap((line) => {
    const single = /^\s*(?:const|let|var)\s+([A-Za-z_$][\w$]*)\b/.exec(line)?.[1];
    if (single) return [single];
    const several = /^\s*(?:const|let|var)\s*\{([^}]*)\}/.exec(line)?.[1] ?? '';
    return several.split(',').flatMap(
      (item) =>
        item
          .split(':')
          .at(-1)
          ?.trim()
          .match(/^[\w$]+/)?.[0] ?? [],
    );
  });
  return [...new Set(names)].reverse();
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text);
}
