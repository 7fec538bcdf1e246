import type { DiffBlock } from '../../lanes/index.ts';
import { isTestFile } from '../../system/index.ts';
import type { ChangedLines } from '../api-schema.ts';

/** The responsible service of a finding, and its words. */
export interface Suspicion {
  readonly service: string | null;
  readonly words: readonly string[];
}

const blocksMax = 3;
const linesMax = 8;
const wordCharsMin = 3;
/** Words of every program and every finding, which point nowhere. */
const usual: ReadonlySet<string> = new Set(
  'the and was not for has http get post put patch delete outside request response body error'.split(
    ' ',
  ),
);

/**
 * Pure: the blocks of the responsible service, first those with the most words of the finding, and
 * tests last, since no service runs them. A hint, not a proof: they were not run one by one.
 */
export function suspectLines(
  suspicion: Suspicion,
  blocks: readonly DiffBlock[],
  servicesOf: (file: string) => readonly string[],
): ChangedLines[] {
  const { service } = suspicion;
  const own = blocks.filter(({ file }) => service !== null && servicesOf(file).includes(service));
  const words = wordsOf(suspicion.words);
  const scored = (own.length > 0 ? own : blocks).map((block) => ({
    block,
    score: score(block, words),
  }));
  return scored
    .sort((one, other) => isTest(one) - isTest(other) || other.score - one.score)
    .slice(0, blocksMax)
    .map(({ block }) => excerptOf(block, words));
}

const isTest = ({ block }: { block: DiffBlock }): number => Number(isTestFile(block.file));

function wordsOf(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.toLowerCase().match(/[a-z_$][\w$]*/g) ?? []);
  return [...new Set(words)].filter((word) => word.length >= wordCharsMin && !usual.has(word));
}

/** Changed lines count more than context, and comments do not count. */
function score({ changed, around }: DiffBlock, words: readonly string[]): number {
  const code = changed.filter((line) => !/^[+-]\s*(?:\/\/|#|\*|\/\*|$)/.test(line));
  return 4 * mentions(code, words) + mentions(around, words) + (code.length > 0 ? 1 : 0);
}

function mentions(lines: readonly string[], words: readonly string[]): number {
  const text = lines.join('\n').toLowerCase();
  return words.filter((word) => text.includes(word)).length;
}

/** Of a long block the part around the line with the most words. */
function excerptOf({ file, line, changed }: DiffBlock, words: readonly string[]): ChangedLines {
  // Of lines that name as much, the new one is at fault rather than the one that is gone.
  const best = changed.map((text) => 2 * mentions([text], words) + Number(isNew(text)));
  const middle = best.indexOf(Math.max(...best));
  const from = Math.max(0, Math.min(middle - linesMax / 2, changed.length - linesMax));
  const before = changed.slice(0, from).filter(isNew).length;
  const text = changed.slice(from, from + linesMax);
  return { file, line: line + before, text, likeliest: middle - from };
}

const isNew = (text: string): boolean => text.startsWith('+');
