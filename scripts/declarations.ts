import { cpSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { runSteps } from './steps.ts';

/** Writes the types of these files of src/ into a folder, with all others that they need. */
export async function declare(files: readonly string[], folder: string): Promise<boolean> {
  const all = `${folder}-of-all`;
  const compiler = ['tsc', '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', all];
  const [step] = await runSteps([{ name: 'types', command: compiler }]);
  for (const file of reached(files.map((file) => join(all, file.replace('.ts', '.d.ts')))))
    cpSync(file, join(folder, relative(all, file)));
  rmSync(all, { recursive: true, force: true });
  return step?.ok === true;
}

const imported = /(?:from |import\()['"](\.[^'"]+)['"]/g;

function reached(files: readonly string[]): Set<string> {
  const found = new Set(files.map((file) => resolve(file)));
  // A set is walked to its end, also over what is added meanwhile.
  for (const file of found)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(imported))
      found.add(resolve(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')));
  return found;
}
