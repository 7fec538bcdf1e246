import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What every rule works on, so that a rule can be tried on files that do not exist. */
export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What is tracked or would be by `git add .`, as it is now in the working tree. Text only. */
export function readSourceFiles(): SourceFile[] {
  // A clone may belong to another user than the one who tests it, as in a container.
  const command = ['-c', 'safe.directory=*', 'ls-files', '-coz', '--exclude-standard'];
  const paths = execFileSync('git', command, { cwd: root, encoding: 'utf8' }).split('\0');
  return [...new Set(paths)]
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ text }) => !text.includes('\0'));
}

/** Code that only tests load: it may know adapters and test libraries. */
export function isTestCode(path: string): boolean {
  return /^tests\/|\/fixtures\/|\.(?:test|contract|fixture)\.ts$/.test(path);
}

export function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}

/** One line for whoever has to mend it; editors and terminals make the place a link. */
export function complaint(file: SourceFile, offset: number, message: string): string {
  const line = file.text.slice(0, offset).split('\n').length;
  return `${file.path}:${line}  ${message}`;
}
