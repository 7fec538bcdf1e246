import { posix } from 'node:path';
import type { Rule } from './code-rules.ts';
import { complaint, type SourceFile } from './source-files.ts';

const isMarkdown = ({ path }: SourceFile): boolean => path.endsWith('.md');

/** Prose alone: code in it becomes spaces, as it neither links nor cites. */
export function maskProse(text: string): string {
  return text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1|(`+)(?!`)[\s\S]*?[^`]\2(?!`)/gm, (code) =>
    code.replace(/[^\n]/g, ' '),
  );
}

const link = /\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|^\[[^\]]+\]: (\S+)/gm;

/** A link has to lead to what is in the repository, not to what only this machine has. */
export const localLinksResolve: Rule = (files) => {
  const known = new Set(files.flatMap(({ path }) => withFolders(path)));
  return files.filter(isMarkdown).flatMap((file) =>
    [...maskProse(file.text).matchAll(link)].flatMap((match) => {
      const target = match[1] ?? match[2] ?? '';
      if (/^(?:[a-z]+:|#)/i.test(target)) return [];
      const path = posix.join(posix.dirname(file.path), target.replace(/[#?].*$/, ''));
      if (known.has(path.replace(/\/$/, ''))) return [];
      return [complaint(file, match.index, `links to ${path}, which is not there`)];
    }),
  );
};

function withFolders(path: string): string[] {
  const steps = path.split('/');
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}

const decisionHeadings = [
  'Context',
  'Decision',
  'Rejected',
  'How we would notice that we were wrong',
];

const isDecision = ({ path }: SourceFile): boolean =>
  /^decisions\/[^/]+\.md$/.test(path) && path !== 'decisions/README.md';

export const decisionsAreComplete: Rule = (files) =>
  files.filter(isDecision).flatMap((file) => {
    const found = [...file.text.matchAll(/^#+ (.+?)\s*$/gm)].map(([, heading]) => heading);
    return decisionHeadings
      .filter((heading) => !found.includes(heading))
      .map((heading) => complaint(file, 0, `lacks the heading "${heading}"`));
  });

const numberOf = ({ path }: SourceFile): string | undefined => /\/(\d+)-/.exec(path)?.[1];

export const decisionsAreNumbered: Rule = (files) => {
  const decisions = files.filter(isDecision);
  const numbers = decisions.map(numberOf);
  return decisions
    .filter((file, index) => numbers.indexOf(numberOf(file)) !== index)
    .map((file) => complaint(file, 0, 'has the number of another decision'));
};

/** The index leads to every decision, so that a number that code cites can be found. */
export const decisionsAreListed: Rule = (files) => {
  const index = files.find(({ path }) => path === 'decisions/README.md')?.text ?? '';
  return files
    .filter(isDecision)
    .filter(({ path }) => !index.includes(`(${posix.basename(path)})`))
    .map((file) => complaint(file, 0, 'has no row in decisions/README.md'));
};

const isPage = ({ path }: SourceFile): boolean => /^docs\/[^/]+\.md$/.test(path);

/** A reader finds a page by its task: what the index does not name, nobody reads. */
export const pagesAreListed: Rule = (files) => {
  const index = files.find(({ path }) => path === 'docs/README.md')?.text ?? '';
  return files
    .filter((file) => isPage(file) && file.path !== 'docs/README.md')
    .filter(({ path }) => !index.includes(`(${posix.basename(path)})`))
    .map((file) => complaint(file, 0, 'has no link in docs/README.md'));
};

/** Each package that users of Surety have to install is there for a reason that somebody wrote. */
export const dependenciesAreDecided: Rule = (files) => {
  const manifest = files.find(({ path }) => path === 'package.json');
  const { dependencies = {} } = JSON.parse(manifest?.text ?? '{}');
  const decisions = files.filter(isDecision).map(({ text }) => text);
  return Object.keys(dependencies)
    .filter((name) => !decisions.some((text) => text.includes(`\`${name}\``)))
    .map((name) => `package.json  depends on ${name}, which no decision names`);
};

/** A page that is made from the code has to be what the code makes now. */
export function isGenerated(path: string, make: () => string): Rule {
  return (files) => {
    const page = files.find((file) => file.path === path);
    return page?.text === make() ? [] : [`${path}  is out of date: run npm run docs`];
  };
}
