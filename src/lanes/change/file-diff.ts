/** What a diff says about one file. */
export interface FileDiff {
  /** Before and after; empty where it is not there. */
  readonly from: string;
  readonly to: string;
  /** All that stands before the first hunk. */
  readonly head: string;
  readonly hunks: readonly string[];
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/**
 * Pure, on a diff that git itself made: there every file begins with `diff --git`, and no line of
 * its contents can look like that. What somebody else writes can be read in several ways.
 */
export function fileDiffs(diff: string): FileDiff[] {
  return diff
    .split(/(?<=^|\n)(?=diff --git )/)
    .filter((text) => text.startsWith('diff --git '))
    .map(readFile)
    .filter(({ from, to }) => from !== '' || to !== '');
}

/** Of git's lines only `\n` is an end; to who runs them, these are ends as well. */
const otherLineEnds = /[\r\u2028\u2029]/;

function readFile(text: string): FileDiff {
  const [head = '', ...hunks] = text.split(/(?<=^|\n)(?=@@ )/);
  const lines = hunks.flatMap((hunk) => hunk.split('\n').slice(1));
  const marked = (mark: string): string[] =>
    lines
      .filter((line) => line.startsWith(mark))
      .flatMap((line) => line.slice(1).split(otherLineEnds));
  const named = (pattern: RegExp): string => unquoted(pattern.exec(head)?.[1] ?? '');
  const [from, to] = [named(/\n--- ([^\n]*)/), named(/\n\+\+\+ ([^\n]*)/)];
  return {
    from: bare(from, 'a/') || named(/\nrename from ([^\n]*)/),
    to: bare(to, 'b/') || named(/\nrename to ([^\n]*)/),
    head,
    hunks,
    removed: marked('-'),
    added: marked('+'),
  };
}

function bare(path: string, prefix: string): string {
  const [name = ''] = path.split('\t');
  if (name === '/dev/null') return '';
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function unquoted(path: string): string {
  return path.startsWith('"') ? path.slice(1, -1) : path.trimEnd();
}
