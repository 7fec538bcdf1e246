import { describe, expect, test } from 'vitest';
import { findCalledCommand } from '../src/cli/program.ts';
import { isFault } from '../src/kernel/index.ts';
import { readSourceFiles } from './rules/source-files.ts';
import { findSuretyLines, type SuretyLine, splitWords } from './rules/surety-lines.ts';

const pages = readSourceFiles().filter(({ path }) => /^(?:docs\/.*|README)\.md$/.test(path));

/** What the command table has against this line, if anything. */
async function complaintAbout({ words, isWhole }: SuretyLine): Promise<string | undefined> {
  if (words.includes('--help') || words[0] === 'help' || words[0] === '--version') return undefined;
  try {
    await findCalledCommand(words);
    return undefined;
  } catch (error) {
    if (!isFault(error)) throw error;
    if (!isWhole && /missing required argument|argument missing/.test(error.message))
      return undefined;
    return error.message;
  }
}

async function complaintsAbout(text: string): Promise<string[]> {
  const complaints: string[] = [];
  for (const line of findSuretyLines(text)) {
    const complaint = await complaintAbout(line);
    if (complaint) complaints.push(`${line.text}  ${complaint}`);
  }
  return complaints;
}

// proves: start.documented-commands
describe('commands in the documentation', () => {
  test('pages with commands are found', () => {
    expect(pages.flatMap(({ text }) => findSuretyLines(text)).length).toBeGreaterThan(300);
  });

  test.each(pages.map(({ path, text }) => [path, text]))(
    '%s names only commands and flags of the command table',
    async (_, text) => {
      expect(await complaintsAbout(text)).toEqual([]);
    },
  );

  test.each([
    ['```sh\nsurety lane view l1\n```', 'an unknown command'],
    ['```sh\nsurety up --fast\n```', 'an unknown flag'],
    ['```sh\nsurety lane curl\n```', 'a missing argument'],
    ['```console\n$ npx surety up now\nup\n```', 'an argument too many'],
    ['Run `surety lane view`.', 'an unknown command in a sentence'],
    ['```sh\ngit diff | npx surety verify - --fast\n```', 'an unknown flag behind a pipe'],
  ])('%j is refused: %s', async (text) => {
    expect(await complaintsAbout(text)).toHaveLength(1);
  });

  test('output of a command, comments and the next command are no words of a call', async () => {
    const text = '```console\n$ surety up && surety system up   # starts it\nup  surety x y z\n```';
    expect(findSuretyLines(text).map(({ words }) => words)).toEqual([['up'], ['system', 'up']]);
    expect(splitWords(' approve <id> --reason "seen it" > out.txt')).toEqual([
      'approve',
      '<id>',
      '--reason',
      'seen it',
    ]);
  });
});
