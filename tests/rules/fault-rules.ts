import type { FaultDefinition } from '../../src/kernel/index.ts';
import type { Rule } from './code-rules.ts';
import { isCode, isTestCode } from './source-files.ts';

/** Texts of faults by code: only what these rules read. */
export type FaultTexts = Readonly<Record<string, Pick<FaultDefinition, 'message' | 'remedy'>>>;

export function everyFaultIsRaised(faults: FaultTexts): Rule {
  return (files) => {
    const product = files.filter(({ path }) => isProduct(path)).map(({ text }) => text);
    return Object.keys(faults)
      .filter((code) => !product.some((text) => text.includes(`'${code}'`)))
      .map((code) => `${code} is raised nowhere in src/`);
  };
}

const isProduct = (path: string): boolean =>
  path.startsWith('src/') && isCode(path) && !isTestCode(path) && path !== 'src/kernel/faults.ts';

const namedFile = /(?<![\w/.])[\w-]+(?:\/[\w.-]+)+\.\w+/g;

/** A user has the package, and no clone of the repository. */
export function faultsNameShippedFiles(faults: FaultTexts): Rule {
  return (files) => {
    const shipped = JSON.parse(textOf(files, 'package.json')).files as string[];
    const isShipped = (name: string): boolean =>
      files.some(({ path }) => path === name) &&
      shipped.some((entry) => name === entry || name.startsWith(`${entry}/`));
    return sentences(faults).flatMap(([code, text]) =>
      [...text.matchAll(namedFile)]
        .filter(([name]) => !isShipped(name))
        .map(([name]) => `${code} names ${name}, which the package does not ship`),
    );
  };
}

/** The first word after `surety` decides: `surety approve {approval}` is the command `approve`. */
export function faultsNameKnownCommands(
  faults: FaultTexts,
  commands: readonly { readonly name: string }[],
): string[] {
  const known = new Set(commands.flatMap(({ name }) => [name, name.split(' ')[0]]));
  return sentences(faults).flatMap(([code, text]) =>
    [...text.matchAll(/\bsurety ([a-z-]+)(?: ([a-z-]+))?/g)]
      .filter(([, first = '', second]) => {
        const hasParts = commands.some(({ name }) => name.startsWith(`${first} `));
        const isWhole = commands.some(({ name }) => name === first);
        return hasParts && !isWhole ? !known.has(`${first} ${second}`) : !known.has(first);
      })
      .map(([command]) => `${code} names "${command}", which is not a command`),
  );
}

function sentences(faults: FaultTexts): [string, string][] {
  return Object.entries(faults).map(([code, { message, remedy }]) => [
    code,
    `${message} ${remedy}`,
  ]);
}

function textOf(files: readonly { path: string; text: string }[], wanted: string): string {
  return files.find(({ path }) => path === wanted)?.text ?? '{"files": []}';
}
