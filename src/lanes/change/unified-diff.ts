/** One line of a hunk. */
interface DiffLine {
  readonly kind: 'added' | 'removed' | 'context';
  readonly text: string;
  /** Where it stands in the file before and after; for an added line, where it would stand. */
  readonly lineBefore: number;
  readonly lineAfter: number;
}

export interface Hunk {
  /** With its head, as git wrote it. */
  readonly text: string;
  /** Of its first line. */
  readonly lineBefore: number;
  readonly lineAfter: number;
  readonly lines: readonly DiffLine[];
}

export interface FileDiff {
  /** The path before and after; empty where the file does not exist. */
  readonly from: string;
  readonly to: string;
  /** All that stands before the first hunk. */
  readonly head: string;
  readonly hunks: readonly Hunk[];
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/**
 * Pure, on a diff that git itself made: there every file begins with `diff --git`, and no line of
 * its contents can look like that. A diff that somebody else wrote can be read in several ways.
 */
export function parseDiff(diff: string): FileDiff[] {
  return diff
    .split(/(?<=^|\n)(?=diff --git )/)
    .filter((text) => text.startsWith('diff --git '))
    .map(parseFile)
    .filter(({ from, to }) => from !== '' || to !== '');
}

function parseFile(text: string): FileDiff {
  const [head = '', ...texts] = text.split(/(?<=^|\n)(?=@@ )/);
  const hunks = texts.map(parseHunk);
  const named = (pattern: RegExp): string => unquote(pattern.exec(head)?.[1] ?? '');
  const [from, to] = [named(/\n--- ([^\n]*)/), named(/\n\+\+\+ ([^\n]*)/)];
  return {
    from: stripPrefix(from, 'a/') || named(/\nrename from ([^\n]*)/),
    to: stripPrefix(to, 'b/') || named(/\nrename to ([^\n]*)/),
    head,
    hunks,
    removed: linesOf(hunks, 'removed'),
    added: linesOf(hunks, 'added'),
  };
}

const kinds: Readonly<Record<string, DiffLine['kind']>> = {
  '+': 'added',
  '-': 'removed',
  ' ': 'context',
};

function parseHunk(text: string): Hunk {
  const [head = '', ...rest] = text.split('\n');
  const [, before = '1', after = '1'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(head) ?? [];
  let [lineBefore, lineAfter] = [Number(before), Number(after)];
  const lines = rest.flatMap((line): DiffLine[] => {
    const kind = kinds[line[0] ?? ''];
    // `\ No newline at end of file` is no line of the file; only the text of the hunk keeps it.
    if (!kind) return [];
    const parsed = { kind, text: line.slice(1), lineBefore, lineAfter };
    if (kind !== 'added') lineBefore++;
    if (kind !== 'removed') lineAfter++;
    return [parsed];
  });
  return { text, lineBefore: Number(before), lineAfter: Number(after), lines };
}

/** For git only `\n` ends a line; for the programs that run the file, these end one as well. */
const otherLineEnds = /[\r\u2028\u2029]/;

function linesOf(hunks: readonly Hunk[], kind: DiffLine['kind']): string[] {
  return hunks
    .flatMap(({ lines }) => lines)
    .filter((line) => line.kind === kind)
    .flatMap(({ text }) => text.split(otherLineEnds));
}

function stripPrefix(path: string, prefix: string): string {
  const [name = ''] = path.split('\t');
  if (name === '/dev/null') return '';
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function unquote(path: string): string {
  return path.startsWith('"') ? path.slice(1, -1) : path.trimEnd();
}

/** Adjacent changed lines of a diff. */
export interface DiffBlock {
  readonly file: string;
  /** Of its first line in the changed file. */
  readonly line: number;
  /** Each with its `+` or `-`. */
  readonly changed: readonly string[];
  /** The unchanged lines of the same hunk. */
  readonly around: readonly string[];
}

/** A binary file has none. */
export function findBlocks(diff: string): DiffBlock[] {
  return parseDiff(diff).flatMap(({ from, to, hunks }) =>
    hunks.flatMap((hunk) => blocksOf(hunk, to || from)),
  );
}

function blocksOf({ lines }: Hunk, file: string): DiffBlock[] {
  const around = lines.filter(({ kind }) => kind === 'context').map(({ text }) => text);
  const blocks: { line: number; changed: string[] }[] = [];
  let isOpen = false;
  for (const { kind, text, lineAfter } of lines) {
    const isChange = kind !== 'context';
    if (isChange && !isOpen) blocks.push({ line: lineAfter, changed: [] });
    if (isChange) blocks.at(-1)?.changed.push((kind === 'added' ? '+' : '-') + text);
    isOpen = isChange;
  }
  return blocks.map((block) => ({ file, ...block, around }));
}

/** One hunk of a diff, by its position among all hunks. */
export interface HunkPosition {
  readonly index: number;
  readonly file: string;
  /** Of its first line in the changed file. */
  readonly line: number;
}

/** Files that are binary or only renamed have no hunks. */
export function hunkPositions(diff: string): HunkPosition[] {
  return parseDiff(diff)
    .flatMap(({ from, to, hunks }) =>
      hunks.map(({ lineAfter }) => ({ file: to || from, line: lineAfter })),
    )
    .map((position, index) => ({ index, ...position }));
}

/** The diff without one of its hunks; null when nothing of it is left. */
export function removeHunk(diff: string, { index }: HunkPosition): string | null {
  let first = 0;
  const parts = parseDiff(diff).flatMap(({ head, hunks }) => {
    const own = index - first;
    first += hunks.length;
    const left = own in hunks ? hunksWithout(hunks, own) : hunks.map(({ text }) => text);
    return left.length === 0 && hunks.length > 0 ? [] : [head + left.join('')];
  });
  return parts.length === 0 ? null : parts.join('');
}

/** The hunks behind it move up or down by as many lines as it added or removed. */
function hunksWithout(hunks: readonly Hunk[], own: number): string[] {
  const count = (kind: DiffLine['kind']): number =>
    hunks[own]?.lines.filter((line) => line.kind === kind).length ?? 0;
  const shift = count('removed') - count('added');
  return hunks.flatMap(({ text }, index) => {
    if (index === own) return [];
    return index < own ? [text] : [shiftHunk(text, shift)];
  });
}

function shiftHunk(hunk: string, lines: number): string {
  return hunk.replace(/^(@@ -\S+ \+)(\d+)/, (_, head, line) => `${head}${Number(line) + lines}`);
}
