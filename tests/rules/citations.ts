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
