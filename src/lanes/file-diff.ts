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
    .split(/^(?=diff --git )/m)
    .filter((text) => text.startsWith('diff --git '))
    .map(readFile)
    .filter(({ from, to }) => from !== '' || to !== '');
}

function readFile(text: string): FileDiff {
  const [head = '', ...hunks] = text.split(/^(?=@@ )/m);
  const lines = hunks.flatMap((hunk) => hunk.split('\n').slice(1));
  const marked = (mark: string): string[] =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
  const named = (pattern: RegExp): string => unquoted(pattern.exec(head)?.[1] ?? '');
  const [from, to] = [named(/^--- (.*)$/m), named(/^\+\+\+ (.*)$/m)];
  return {
    from: bare(from, 'a/') || named(/^rename from (.*)$/m),
    to: bare(to, 'b/') || named(/^rename to (.*)$/m),
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
