import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Texts by path, relative to the folder of the system. */
export type Files = ReadonlyMap<string, string>;

/** The repository of the system. It is only read: changes are made in a temporary copy. */
export interface Repository {
  read(version: string, path: string): Promise<string>;
  /** The difference between two sets of files, as a patch from the root of the repository. */
  diff(before: Files, after: Files): Promise<string>;
}

export function createRepository(folder: string): Repository {
  return {
    read: (version, path) => git(folder, 'show', `${version}:./${path}`),
    async diff(before, after) {
      const prefix = (await git(folder, 'rev-parse', '--show-prefix')).trim();
      const copy = await mkdtemp(join(tmpdir(), 'trading-agent-'));
      try {
        await git(copy, 'init', '--quiet');
        await write(join(copy, prefix), before);
        await git(copy, 'add', '--all');
        await write(join(copy, prefix), after);
        await git(copy, 'add', '--all', '--intent-to-add');
        return await git(copy, 'diff', '--no-ext-diff');
      } finally {
        await rm(copy, { recursive: true, force: true });
      }
    },
  };
}

async function write(folder: string, files: Files): Promise<void> {
  for (const [path, text] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Without the user's settings, which may change how a difference looks. */
async function git(folder: string, ...words: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const { stdout } = await execute('git', words, { cwd: folder, env });
  return stdout;
}
