import { posix } from 'node:path';
import { commentLines } from './code-mask.ts';
import type { Rule } from './code-rules.ts';
import { complaint, isCode, type SourceFile } from './source-files.ts';

/** What people write here. Patches and lock files have their own form. */
const isWritten = (path: string): boolean => isCode(path) || /\.(?:sql|md)$/.test(path);
const isAny = (): boolean => true;

function textRule(applies: (path: string) => boolean, pattern: RegExp, message: string): Rule {
  return (files) =>
    files
      .filter(({ path }) => applies(path))
      .flatMap((file) =>
        [...file.text.matchAll(pattern)].map(({ index }) => complaint(file, index, message)),
      );
}

// These patterns are written so that they do not find themselves.
export const noUnfinished: Rule = textRule(
  isWritten,
  /\b(?:TO[D]O|FIX[M]E|XX[X])\b/g,
  'do it now, or write an issue',
);

export const noTab: Rule = textRule(isWritten, /\t/g, 'has a tab');

export const oneNewlineAtEnd: Rule = textRule(
  isWritten,
  /(?<!\n)$(?![\s\S])|\n\n+$(?![\s\S])/g,
  'must end with one newline',
);

const licence = textRule(
  isCode,
  /\b(?:copyright|SPDX|licen[sc]ed under)/gi,
  'LICENSE speaks for every file',
);

export const noLicenceHeader: Rule = (files) =>
  licence(files.map(({ path, text }) => ({ path, text: text.slice(0, 400) })));

export const noMachine: Rule = textRule(
  isAny,
  /(?<![\w.~-])\/(?:wor[k]|roo[t])\//g,
  'names a directory of one machine',
);

export const noRegistry: Rule = textRule(
  isAny,
  /\bregistry\.[\w-]+\.(?:org|com|net|io|dev|local|internal)\b|\bnpm\.pkg\.github\.com\b/g,
  'names a package registry: whoever installs uses their own',
);

export const noResolved: Rule = textRule(
  (path) => posix.basename(path) === 'package-lock.json',
  /"resolved":/g,
  'names a package registry: see .npmrc',
);

export const noVagueName: Rule = (files) =>
  files
    .filter(({ path }) => isCode(path))
    .filter(({ path }) => /^(?:utils?|helpers?|types|common|misc)\./.test(posix.basename(path)))
    .map((file) => complaint(file, 0, 'is a name that says nothing of what is inside'));

const columnsMax = 100;

/** Biome formats code, but leaves comments as they are. An address may be as long as it is. */
export const noLongComment: Rule = (files) =>
  files.filter(({ path }) => isCode(path)).flatMap(longComments);

function longComments(file: SourceFile): string[] {
  return commentLines(file.text)
    .filter(({ line }) => !line.includes('://'))
    .map(({ offset, line }) => ({ offset, end: columnOf(file.text, offset) + line.length }))
    .filter(({ end }) => end > columnsMax)
    .map(({ offset, end }) => complaint(file, offset, `ends in column ${end}, not ${columnsMax}`));
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}
