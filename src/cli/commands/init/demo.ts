import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fault } from '../../../kernel/index.ts';
import { type ExitCode, exitCodes, type Invocation } from '../../command.ts';

/** A sample system with a suite and two changes, for somebody who has no system at hand. */
export function writeDemo({ place, output }: Invocation): ExitCode {
  const { root } = place;
  const there = readdirSync(root).filter((name) => !ownFiles.has(name));
  if (there.length > 0)
    throw fault('DIRECTORY_NOT_EMPTY', { directory: root, found: there[0] ?? '' });
  cpSync(sample, root, { recursive: true });
  commitAll(root);
  output.value({
    directory: root,
    changes: ['changes/price-as-text.patch', 'changes/price-table.patch'],
  });
  output.line(`wrote a shop of three services to ${root}`);
  output.line('next:');
  for (const line of nextLines) output.line(`  ${line}`);
  return exitCodes.ok;
}

/** In a clone as in an installed package. */
const sample = fileURLToPath(new URL('../../../../examples/quickstart', import.meta.url));

/** What installing Surety leaves in a folder. */
const ownFiles: ReadonlySet<string> = new Set([
  '.git',
  '.surety',
  'node_modules',
  'package.json',
  'package-lock.json',
]);

const nextLines = [
  'surety up && surety system up',
  'surety verify changes/price-as-text.patch    # fails: a price became a string',
  'surety verify changes/price-table.patch      # passes',
  'surety down',
];

/** Surety runs what is committed. */
function commitAll(root: string): void {
  const git = (...words: readonly string[]): void => {
    const { status, stderr } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
    if (status !== 0)
      throw fault('GIT_FAILED', {
        command: words[0] ?? '',
        reason: stderr ?? 'git is not installed',
      });
  };
  git('init', '--quiet');
  git(
    'add',
    '--all',
    '--',
    'web',
    'prices',
    'stock',
    'suites',
    'changes',
    'surety.yaml',
    'README.md',
  );
  git(
    '-c',
    'user.name=Surety',
    '-c',
    'user.email=surety@localhost',
    'commit',
    '--quiet',
    '--message=A small shop',
  );
}
