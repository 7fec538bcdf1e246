import { maskCode } from './code-mask.ts';
import type { Rule } from './code-rules.ts';
import { isCode, isTestCode, type SourceFile } from './source-files.ts';

const fileLinesMax = 400;
const functionLinesMax = 60;
const folderFilesMax = 30;

/** What may be longer, and why. Named `path`, or `path head of the function`. */
export type Exceptions = Readonly<Record<string, string>>;

interface FunctionSize {
  /** The first line of its head, without what opens its body. */
  readonly head: string;
  readonly line: number;
  readonly lines: number;
}

export function checkFileSizes(exceptions: Exceptions): Rule {
  return (files) => {
    const long = files
      .filter(({ path }) => isCode(path))
      .map(({ path, text }) => ({ name: path, place: path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > fileLinesMax);
    return complain(long, fileLinesMax, exceptions);
  };
}

/** Counts the production code of a folder itself, without its subfolders. */
export function checkFolderSizes(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (!path.startsWith('src/') || !isCode(path) || isTestCode(path)) continue;
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > folderFilesMax)
    .map(([folder, count]) => `${folder}  has ${count} files of code, more than ${folderFilesMax}`);
}

/** Tests are not measured by function: a `describe` is as long as what it describes. */
export function checkFunctionSizes(exceptions: Exceptions): Rule {
  return (files) => {
    const long = files
      .filter(({ path }) => path.startsWith('src/') && isCode(path) && !isTestCode(path))
      .flatMap((file) =>
        findFunctions(file)
          .filter(({ lines }) => lines > functionLinesMax)
          .map(({ head, line, lines }) => ({
            name: `${file.path} ${head}`,
            place: `${file.path}:${line}  ${head}`,
            lines,
          })),
      );
    return complain(long, functionLinesMax, exceptions);
  };
}

interface Long {
  readonly name: string;
  readonly place: string;
  readonly lines: number;
}

function complain(found: readonly Long[], max: number, exceptions: Exceptions): string[] {
  const tooLong = found
    .filter(({ name }) => !(name in exceptions))
    .map(({ place, lines }) => `${place}  has ${lines} lines, more than ${max}`);
  const expired = Object.keys(exceptions)
    .filter((name) => !found.some((long) => long.name === name))
    .map((name) => `${name}  needs no exception any more`);
  return [...tooLong, ...expired];
}

/**
 * Goes by indentation, which Biome guarantees: the line that closes a body is the next one that
 * stands as far left as the line that opened it.
 */
export function findFunctions(file: SourceFile): FunctionSize[] {
  const lines = maskCode(file.text).split('\n');
  const names = file.text.split('\n');
  return lines.flatMap((line, opening) => {
    if (!opensBody.test(line)) return [];
    const first = headLine(lines, opening);
    if (isOther.test(lines[first] as string)) return [];
    const indent = indentOf(line);
    const closing = lines.findIndex(
      (later, index) => index > opening && indentOf(later) === indent && /^\s*\}/.test(later),
    );
    // The last line of a broken-up `for` stands further right than its end, and is no function.
    if (closing < 0) return [];
    const head = (names[first] as string).trim().replace(/\s*\(.*$|\s*\{$/, '');
    return [{ head, line: first + 1, lines: closing - first + 1 }];
  });
}

// `=> {`, `) {`, `): Type {`, or the last line of a head that takes several.
const opensBody = /=> \{$|\)(?:: \S.*)? \{$|^\s*[}>].* \{$/;
const isOther = /^\s*(?:\} )?(?:if|else|for|while|do|switch|try|catch|finally|class|interface)\b/;

/** Where the head begins whose last line this is: `): Type {` closes what is above it. */
function headLine(lines: readonly string[], last: number): number {
  const closing = lines[last] as string;
  if (!/^\s*[)\]}>]/.test(closing)) return last;
  const indent = indentOf(closing);
  return lines.findLastIndex(
    (line, index) => index < last && indentOf(line) === indent && !/^\s*[)\]}>]/.test(line),
  );
}

/** Infinite on an empty line, which is neither the head nor the end of anything. */
function indentOf(line: string): number {
  const indent = line.search(/\S/);
  return indent < 0 ? Number.POSITIVE_INFINITY : indent;
}
