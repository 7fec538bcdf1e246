/** A place that a change may have made wrong: the first line after what was changed. */
export type ChangedPlace = {
  readonly file: string;
  /** The line in the version with the change, and the same line in the one before it. */
  readonly line: number;
  readonly lineBefore: number;
  readonly text: string;
  /** Names that the change gives a new value and that this line uses. */
  readonly names: readonly string[];
};

const namesMax = 5;
const source = /\.[cm]?[jt]s$/;
const testFile = /\.(?:test|spec)\.[cm]?[jt]s$/;

/** Reads a unified diff; pure. */
export function changedPlaces(diff: string): ChangedPlace[] {
  return diff.split(/^(?=diff --git )/m).flatMap((part) => {
    const file = /^\+\+\+ b\/(.*)$/m.exec(part)?.[1] ?? '';
    if (!source.test(file) || testFile.test(file)) return [];
    return part
      .split(/^(?=@@ )/m)
      .slice(1)
      .flatMap((hunk) => placesIn(file, hunk));
  });
}

function placesIn(file: string, hunk: string): ChangedPlace[] {
  const [head = '', ...lines] = hunk.split('\n');
  const [, before = '1', after = '1'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(head) ?? [];
  let at = { before: Number(before), after: Number(after) };
  let added: string[] = [];
  const places: ChangedPlace[] = [];
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith('+')) {
      added.push(text);
      at = { ...at, after: at.after + 1 };
    } else if (line.startsWith('-')) {
      at = { ...at, before: at.before + 1 };
    } else if (line.startsWith(' ')) {
      const names = assignedNames(added).filter((name) => mentions(text, name));
      if (names.length > 0) {
        const shown = names.slice(0, namesMax);
        places.push({
          file,
          line: at.after,
          lineBefore: at.before,
          text: text.trim(),
          names: shown,
        });
      }
      added = [];
      at = { before: at.before + 1, after: at.after + 1 };
    }
  }
  return places;
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
