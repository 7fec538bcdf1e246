import type { LimitTable } from '../../scripts/documents/limit-tables.ts';
import { maskCode } from './code-mask.ts';
import { complaint, isCode, isTestCode, type SourceFile } from './source-files.ts';

/** Looks at the whole repository and says what is wrong with it, one line each. */
export type Rule = (files: readonly SourceFile[]) => string[];

/** A rule about code, blind to comments and strings. */
function codeRule(applies: (path: string) => boolean, pattern: RegExp, message: string): Rule {
  return (files) =>
    files
      .filter(({ path }) => isCode(path) && applies(path))
      .flatMap((file) =>
        [...maskCode(file.text).matchAll(pattern)].map(({ index }) =>
          complaint(file, index, message),
        ),
      );
}

const isProduct = (path: string): boolean => path.startsWith('src/') && !isTestCode(path);

/** All but the first are not ours to give a clock to: they run in other people's programs. */
const clocks = [
  'src/kernel/clock.ts',
  'src/verify-grant/clock.ts',
  'src/preload/reports/clock.cjs',
];

export const noOtherClock: Rule = codeRule(
  (path) => isProduct(path) && !clocks.includes(path),
  /\bDate\.now\b|\bnew Date(?:\(\)|(?!\())/g,
  'the time comes from a Clock that the caller gives',
);

export const noOtherRandomness: Rule = codeRule(
  (path) => path.startsWith('src/'),
  /\bMath\.random\b/g,
  'randomness comes from a RandomBytes that the caller gives',
);

export const noConsole: Rule = codeRule(
  (path) => path.startsWith('src/'),
  /\bconsole\./g,
  'commands speak through Output, processes through Log',
);

export const noFocusedTest: Rule = codeRule(
  isTestCode,
  /(?:\btest|\bit|\bdescribe|\.each)\.(?:only|todo)\b/g,
  'runs alone, or not at all: finish it before it is committed',
);

const skip = /\.skip\b/g;

/** A comment on the line above has to say why. */
export const noSilentSkip: Rule = (files) =>
  files
    .filter(({ path }) => isCode(path) && isTestCode(path))
    .flatMap((file) => {
      const lines = file.text.split('\n');
      return [...maskCode(file.text).matchAll(skip)]
        .map(({ index }) => ({ index, line: file.text.slice(0, index).split('\n').length }))
        .filter(({ line }) => !/^\s*\/\/ \S/.test(lines[line - 2] ?? ''))
        .map(({ index }) => complaint(file, index, 'is skipped: say why on the line above'));
    });

export const everyTestAsserts: Rule = (files) =>
  files
    .filter(({ path }) => path.endsWith('.test.ts'))
    .filter(({ text }) => !/\b(?:expect\w*|assert|\w+Contract)\b\s*[.(]/.test(maskCode(text)))
    .map((file) => complaint(file, 0, 'asserts nothing'));

/** A deadline has no two sides that a test could look at without a race; every other limit has. */
export function limitsAreTested(tables: readonly LimitTable[]): Rule {
  return (files) => {
    const tests = files
      .filter(({ path }) => isCode(path) && isTestCode(path))
      .map(({ text }) => maskCode(text));
    const isTested = (name: string): boolean =>
      tests.some((code) => code.includes(`Limits.${name}`));
    return tables.flatMap(({ folder, limits }) =>
      Object.keys(limits)
        .filter((name) => !/Ms(?:Max|Every)?$/.test(name) && !isTested(name))
        .map((name) => `src/${folder}/limits.ts  ${name} is named by no test`),
    );
  };
}

/** A bound that only tunes one file stays there; one that others need has a name and a meaning. */
export const sharedLimitsAreInTables: Rule = codeRule(
  (path) => isProduct(path) && !path.endsWith('/limits.ts'),
  /\bexport const \w+Max\b/g,
  'is a limit that other files import: put it into the limits.ts of its folder',
);
