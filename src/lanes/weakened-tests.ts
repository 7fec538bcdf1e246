/** A test file that a change makes check less, and by what. */
export interface WeakenedTest {
  readonly file: string;
  readonly why: string;
}

interface Part {
  /** Before and after; empty where it is not there. */
  readonly from: string;
  readonly to: string;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

const testFile =
  /(?:^|\/)(?:__tests__|tests?|spec)\/|[._](?:test|spec)\.[\w.]+$|(?:^|\/)test_[^/]+\.py$|_test\.\w+$|Tests?\.(?:java|kt|cs)$/;

export function isTestFile(file: string): boolean {
  return testFile.test(file);
}

/** What keeps a test from running or lets it fail, in the languages of services. */
const skips =
  /\.(?:skip|todo|only|fails|skipIf|runIf)\b|\bx(?:it|test|describe)\s*\(|\bf(?:it|describe)\s*\(|\bskip(?:Test|If|Unless)?\s*\(|@(?:pytest\.mark|unittest)\.(?:skip|xfail|expectedFailure)|@(?:Disabled|Ignore)\b|\bt\.Skip|#\[ignore/;
const tests =
  /\b(?:test|it)(?:\.\w+)*\s*(?:<[^>]*>)?\(|^\s*(?:async\s+)?def\s+test_|^func\s+Test\w|@Test\b|#\[test\]/;
const assertions =
  /\bexpect(?:\.\w+)*\s*\(|\bassert\w*[\s.(!]|\bcheck\s*\(|\bt\.(?:Error|Fatal)f?\(|\bself\.assert\w+\(/;
/** Says little whatever the value is. */
const vague =
  /\.(?:toBeDefined|toBeTruthy|toBeFalsy|toBeInstanceOf)\(|expect\.any(?:thing)?\(|not\.toThrow\(|\bassert\s+(?:True|true|1)\b|is not None/;

/**
 * Tests that a patch deletes, skips, or makes say less; pure, on the text of a unified diff. What
 * moved from one file to another is there as before: tests and assertions are counted over all.
 */
export function weakenedTests(patch: string): WeakenedTest[] {
  const parts = partsOf(patch).filter(({ from, to }) => testFile.test(from) || testFile.test(to));
  return [...parts.flatMap(ownWeakness), ...fewer(parts)];
}

function ownWeakness({ from, to, added, removed }: Part): WeakenedTest[] {
  const file = to || from;
  const found: string[] = [];
  if (from && to && testFile.test(from) && !testFile.test(to)) found.push(`is no test as ${to}`);
  if (count(added, skips) > count(removed, skips)) found.push('skips or singles out a test');
  const isVaguer = count(added, vague) > count(removed, vague);
  if (isVaguer && removed.some((line) => assertions.test(line))) {
    found.push('has an assertion that says less than before');
  }
  return found.map((why) => ({ file, why }));
}

/** Told of the files that lost the most. */
function fewer(parts: readonly Part[]): WeakenedTest[] {
  const lost = (marks: RegExp) => (part: Part) =>
    count(part.removed, marks) - count(part.added, marks);
  return (
    [
      [tests, 'tests'],
      [assertions, 'assertions'],
    ] as const
  ).flatMap(([marks, what]) => {
    const balance = parts.reduce((sum, part) => sum + lost(marks)(part), 0);
    if (balance <= 0) return [];
    return parts
      .map((part) => ({ file: part.from || part.to, missing: lost(marks)(part) }))
      .filter(({ missing }) => missing > 0)
      .map(({ file, missing }) => ({ file, why: `has ${missing} ${what} less` }));
  });
}

/** What is commented out counts as gone. */
function count(lines: readonly string[], marks: RegExp): number {
  return lines.filter((line) => !/^\s*(?:\/\/|#(?!\[)|\*|\/\*)/.test(line) && marks.test(line))
    .length;
}

function partsOf(patch: string): Part[] {
  return patch
    .split(/^(?=diff --git )/m)
    .map(readPart)
    .filter(({ from, to }) => from !== '' || to !== '');
}

function readPart(text: string): Part {
  const [head = '', ...hunks] = text.split(/^(?=@@ )/m);
  const lines = hunks.flatMap((hunk) => hunk.split('\n').slice(1));
  const marked = (mark: string): string[] =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
  const named = (pattern: RegExp): string => unquoted(pattern.exec(head)?.[1] ?? '');
  const [from, to] = [named(/^--- (.*)$/m), named(/^\+\+\+ (.*)$/m)];
  return {
    from: bare(from, 'a/') || named(/^rename from (.*)$/m),
    to: bare(to, 'b/') || named(/^rename to (.*)$/m),
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
