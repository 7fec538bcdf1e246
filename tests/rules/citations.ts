import type { Requirement } from '../requirements.ts';
import { commentLines } from './code-mask.ts';
import type { Rule } from './code-rules.ts';
import { maskProse } from './markdown-rules.ts';
import { complaint, type SourceFile } from './source-files.ts';

type Requirements = Readonly<Record<string, Requirement>>;

interface Citation {
  readonly id: string;
  readonly offset: number;
}

const proof = '// proves: ';
const mention = /\[([a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*)\](?![(:\w])/g;
const fileName = /\.(?:ts|js|cjs|json|md|sql|yaml|yml|toml)$/;

/** A contract counts: it is run by the tests of every adapter. */
const isTest = ({ path }: SourceFile): boolean => /\.(?:test|contract)\.ts$/.test(path);

export function checkCitations(requirements: Requirements): Rule {
  return (files) => {
    const tests = files.filter(isTest);
    const proven = new Set(tests.flatMap(proofs).map(({ id }) => id));
    return [
      ...tests.flatMap((file) => judgeProofs(file, requirements)),
      ...files.flatMap((file) => judgeMentions(file, requirements)),
      ...Object.entries(requirements)
        .filter(([id, { status }]) => status === 'kept' && !proven.has(id))
        .map(([id, { promise }]) => `${id}  is proven by no test: ${promise}`),
    ];
  };
}

const testLink = /\]\(\.\.\/([\w./-]+\.(?:test|contract)\.ts)\)/g;

/** In tables of promises, each row names tests, and these prove what the row cites. */
export function checkShownPromises(page: string): Rule {
  return (files) => {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const file = byPath.get(page);
    if (!file) return [`${page}  is missing`];
    return promiseRows(file).flatMap(({ row, offset }) => {
      const tests = [...row.matchAll(testLink)].map(([, path = '']) => path);
      if (tests.length === 0) return [complaint(file, offset, 'names no test')];
      const missing = tests.filter((path) => !byPath.has(path));
      const found = tests.flatMap((path) => byPath.get(path) ?? []);
      const proven = new Set(found.flatMap(proofs).map(({ id }) => id));
      const unproven = [...row.matchAll(mention)].filter(([, id = '']) => !proven.has(id));
      return [
        ...missing.map((path) => complaint(file, offset, `names ${path}, which is missing`)),
        ...unproven.map(([, id]) => complaint(file, offset, `cites ${id}, which its tests do not`)),
      ];
    });
  };
}

/** The rows below `| promise | … |`. */
function promiseRows({ text }: SourceFile): { row: string; offset: number }[] {
  const tables = [...text.matchAll(/^\| promise \|.*\n\|.*\n((?:\|.*\n)+)/gm)];
  return tables.flatMap(({ index, 0: table, 1: rows = '' }) => {
    const start = index + table.length - rows.length;
    return [...rows.matchAll(/.+/g)].map((found) => ({
      row: found[0],
      offset: start + found.index,
    }));
  });
}

/** Each point below a heading cites what shows it. */
export function checkCitedPoints(page: string, heading: string): Rule {
  return (files) => {
    const file = files.find(({ path }) => path === page);
    const start = file?.text.indexOf(`\n## ${heading}\n`) ?? -1;
    if (!file || start < 0) return [`${page}  has no section "${heading}"`];
    const section = file.text.slice(start + 1).split(/\n(?=## )/)[0] ?? '';
    return [...section.matchAll(/^- (?:.+\n?)(?: {2}.+\n?)*/gm)]
      .filter(([point]) => point.search(mention) < 0)
      .map(({ index }) => complaint(file, start + 1 + index, 'cites no requirement'));
  };
}

function judgeProofs(file: SourceFile, requirements: Requirements): string[] {
  return proofs(file).flatMap(({ id, offset }) => {
    const requirement = requirements[id];
    if (!requirement) return [complaint(file, offset, `proves ${id}, which nobody requires`)];
    if (requirement.status === 'kept') return [];
    return [complaint(file, offset, `proves ${id}, which is planned: now kept? change its status`)];
  });
}

function judgeMentions(file: SourceFile, requirements: Requirements): string[] {
  return mentions(file)
    .filter(({ id }) => !(id in requirements))
    .map(({ id, offset }) => complaint(file, offset, `cites ${id}, which nobody requires`));
}

function proofs({ text }: SourceFile): Citation[] {
  return commentLines(text)
    .filter(({ line }) => line.startsWith(proof))
    .flatMap(({ line, offset }) =>
      line
        .slice(proof.length)
        .split(',')
        .map((id) => ({ id: id.trim(), offset })),
    );
}

function mentions({ path, text }: SourceFile): Citation[] {
  if (!path.endsWith('.md')) return [];
  return [...maskProse(text).matchAll(mention)]
    .map(({ index, 1: id = '' }) => ({ id, offset: index }))
    .filter(({ id }) => !fileName.test(id));
}
