import { cpSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { runStep } from './steps.ts';

/** Compiles the types of src/ into a folder. Whether they are right, another step checks. */
export async function compileTypes(folder: string): Promise<void> {
  const options = ['--emitDeclarationOnly', '--noCheck', '--outDir', folder];
  const { ok, output } = await runStep({
    name: 'types',
    command: ['node_modules/.bin/tsc', '-p', 'tsconfig.build.json', ...options],
  });
  if (!ok) throw new Error(output);
}

/** Copies the types of these files of src/, with all others that they need. */
export function copyTypes(compiled: string, files: readonly string[], folder: string): void {
  for (const file of reached(files.map((file) => join(compiled, file.replace('.ts', '.d.ts')))))
    cpSync(file, join(folder, relative(compiled, file)));
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
