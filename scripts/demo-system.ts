import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../', import.meta.url));
const example = join(repository, 'examples', 'trading');

/** The trading example as a repository of its own, as a user might have it. */
export function makeDemoRepository(): string {
  const directory = mkdtempSync(join(tmpdir(), 'surety-demo-'));
  for (const part of ['services', 'shared', 'suites', 'schema', 'seeds', 'traffic']) {
    cpSync(join(example, part), join(directory, part), { recursive: true });
  }
  cpSync(join(example, 'surety-core.yaml'), join(directory, 'surety.yaml'));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}\n');
  writeFileSync(join(directory, '.gitignore'), 'node_modules\n.surety/\n');
  symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'));
  git(directory, 'init', '--quiet', '--initial-branch=main');
  git(directory, 'add', '--all');
  git(directory, 'commit', '--quiet', '--message', 'The trading platform');
  return directory;
}

const quoteFile = 'services/pricing/quote.ts';

/** "Hand the amount on as it is printed": the bug, as a patch on what runs now. */
export function badPatch(directory: string): string {
  const tree = mkdtempSync(join(tmpdir(), 'surety-demo-tree-'));
  try {
    git(directory, 'worktree', 'add', '--quiet', '--force', '--detach', tree, 'surety/baseline');
    const path = join(tree, quoteFile);
    const good = 'const { tradeId, amount, displayAmount, currency } = quote;';
    const bad =
      'const { tradeId, displayAmount, currency } = quote;\n  const amount = displayAmount;';
    const text = readFileSync(path, 'utf8');
    if (!text.includes(good)) throw new Error(`${quoteFile} is not what the demo expects`);
    writeFileSync(path, text.replace(good, bad));
    return git(tree, 'diff', '--', quoteFile);
  } finally {
    rmSync(tree, { recursive: true, force: true });
    git(directory, 'worktree', 'prune');
  }
}

function git(directory: string, ...words: string[]): string {
  const identity = ['-c', 'user.name=demo', '-c', 'user.email=demo@localhost'];
  return execFileSync('git', [...identity, ...words], { cwd: directory, encoding: 'utf8' });
}
