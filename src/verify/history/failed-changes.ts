import { sha256 } from '../../kernel/index.ts';
import { type DiffBlock, findBlocks } from '../../lanes/index.ts';
import { type Ledger, type Projection, readRow } from '../../ledger/index.ts';
import { isTestFile } from '../../system/index.ts';
import { verifyLimits } from '../limits.ts';

/** A digest of a few words that a change adds to a file, and a digest of the file's name. */
export type Shingle = `${string}@${string}`;

/** The shingles of a failed change in one file, and how many it has in all. */
type FailedChange = {
  readonly verdict: string;
  readonly of: number;
  readonly shingles: readonly string[];
};

/** The failed changes of one file, oldest first. */
type FailedRow = { readonly failed: readonly FailedChange[] };

const failedKey = (shingle: string): string =>
  `failed-change/${shingle.slice(shingle.indexOf('@') + 1)}`;

/** Consecutive words: fewer are in any change, more would all differ after one other word. */
const wordsOfShingle = 4;
/**
 * A change that repeats this share of a failed change counts as the same. Repairs also repeat a
 * good part, four fifths in our example, and verifying all of them in full would be slow.
 */
const shareMin = 0.9;

export const failedChanges: Projection = {
  kinds: ['verdict-reached'],
  keys: ({ body }) => [...Map.groupBy(shinglesIn(body.shingles), failedKey).keys()],
  apply: (rows, { body }) => {
    const all = shinglesIn(body.shingles);
    for (const [key, shingles] of Map.groupBy(all, failedKey)) {
      const known = rows.get<FailedRow>(key)?.failed ?? [];
      const one = { verdict: String(body.id), of: all.length, shingles };
      rows.set(key, { failed: [...known, one].slice(-verifyLimits.failedChangesMax) });
    }
  },
};

/** Whether a change repeats nearly all of a failed one, whatever else it does. */
export async function isFailedAgain(
  shingles: readonly Shingle[],
  ledger: Pick<Ledger, 'rows'>,
): Promise<boolean> {
  const own = new Set<string>(shingles);
  const shares = new Map<string, number>();
  for (const key of new Set(shingles.map(failedKey))) {
    const { failed = [] } = (await readRow<FailedRow>(ledger, key)) ?? {};
    for (const { verdict, of, shingles: theirs } of failed) {
      const same = theirs.filter((one) => own.has(one)).length;
      shares.set(verdict, (shares.get(verdict) ?? 0) + same / of);
    }
  }
  return [...shares.values()].some((share) => share >= shareMin);
}

/** If there are too many, a choice that nobody can influence. */
export function shinglesToStore(shingles: readonly Shingle[]): Shingle[] {
  return shingles.toSorted().slice(0, verifyLimits.failedShinglesMax);
}

/**
 * Pure, on a diff of git: what a change does, however it is formatted. White space, comments and
 * line breaks do not count, nor do tests, since a repair has the same ones.
 */
export function shinglesOf(diff: string): Shingle[] {
  const shingles = new Set<Shingle>();
  let room: number = verifyLimits.failedWordsMax;
  for (const block of findBlocks(diff)) {
    if (room <= 0) break;
    if (isTestFile(block.file) || isBinary(block)) continue;
    const file = digest(block.file);
    const runs = runsOf(block).slice(0, room);
    for (const run of runs) shingles.add(`${digest(run)}@${file}`);
    room -= runs.length;
  }
  return [...shingles];
}

/** Git also prints them as lines, and each may be the whole file. */
function isBinary({ changed }: DiffBlock): boolean {
  return changed.some((line) => line.includes('\0') || line.includes('\uFFFD'));
}

function runsOf({ changed }: DiffBlock): string[] {
  const [added, removed] = [meaningOf(changed, '+'), meaningOf(changed, '-')];
  const brought = without(added, removed);
  const taken = without(removed, added);
  // What a change removes beside an addition, a repair removes as well.
  const [sign, lines] = brought.length > 0 ? ['+', brought] : ['-', taken];
  const words = lines.flatMap((line) => line.split(' ')).slice(0, verifyLimits.failedWordsMax);
  const count = Math.max(1, words.length - wordsOfShingle + 1);
  const runs = Array.from({ length: count }, (_, n) => words.slice(n, n + wordsOfShingle));
  return words.length === 0 ? [] : runs.map((run) => `${sign} ${run.join(' ')}`);
}

/** A patch may have tens of thousands of lines, so lookups use a set. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}

/** The lines of one side as words, without empty ones. */
function meaningOf(changed: readonly string[], sign: string): string[] {
  const own = changed.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
  return readable(own)
    .map(wordsOf)
    .filter((line) => line !== '');
}

const charsOfWord = 8;

/** A small patch may hold a large compressed file, which would block the daemon. */
function readable(lines: readonly string[]): string[] {
  let room = verifyLimits.failedWordsMax * charsOfWord;
  return lines.filter((line) => {
    room -= line.length;
    return room >= 0;
  });
}

/** Also removes what looks like a comment within a text; both sides are treated the same. */
function wordsOf(line: string): string {
  const code = line
    .replace(/^\s*(?:\*|<!--|--\s).*$/, '')
    .replaceAll(/\/\*.*?(?:\*\/|$)/g, '')
    .replace(/(?:^|\s)(?:\/\/|#(?=[\s!]|$)).*$/, '')
    // What a formatter adds, removes or changes.
    .replaceAll(/[;,]/g, ' ')
    .replaceAll(/["`]/g, "'");
  return (code.match(/[\w$]+|[^\s\w$]/g) ?? []).join(' ');
}

function shinglesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function digest(text: string): string {
  return sha256(text).slice(0, 16);
}
