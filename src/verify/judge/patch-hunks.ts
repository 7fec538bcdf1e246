import { fileDiffs } from '../../lanes/index.ts';

/** One hunk of a patch, by its place among all. */
export interface PatchHunk {
  readonly index: number;
  readonly file: string;
  /** Of its first line in the changed file. */
  readonly line: number;
}

/** Pure, on a diff that git made. Files that are binary or only renamed have none. */
export function patchHunks(patch: string): PatchHunk[] {
  let index = 0;
  return fileDiffs(patch).flatMap(({ from, to, hunks }) =>
    hunks.map((hunk) => ({ index: index++, file: to || from, line: numbersOf(hunk).after })),
  );
}

/** The patch as it would be without one of its hunks; null when nothing of it is left. */
export function withoutHunk(patch: string, { index }: PatchHunk): string | null {
  let first = 0;
  const parts = fileDiffs(patch).flatMap(({ head, hunks }) => {
    const own = index - first;
    first += hunks.length;
    if (own < 0 || own >= hunks.length) return [head + hunks.join('')];
    const left = leaveOut(hunks, own);
    return left.length === 0 ? [] : [head + left.join('')];
  });
  return parts.length === 0 ? null : parts.join('');
}

/** Those after it stand where they would stand then. */
function leaveOut(hunks: readonly string[], own: number): string[] {
  const { before, after } = lengthsOf(hunks[own] ?? '');
  return hunks.flatMap((hunk, place) => {
    if (place === own) return [];
    return place < own ? [hunk] : [movedBy(hunk, before - after)];
  });
}

function movedBy(hunk: string, lines: number): string {
  return hunk.replace(/^(@@ -\S+ \+)(\d+)/, (_, head, line) => `${head}${Number(line) + lines}`);
}

function numbersOf(hunk: string): { after: number } {
  return { after: Number(/^@@ -\S+ \+(\d+)/.exec(hunk)?.[1] ?? 1) };
}

function lengthsOf(hunk: string): { before: number; after: number } {
  const [, before = '1', after = '1'] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(hunk) ?? [];
  return { before: Number(before), after: Number(after) };
}
