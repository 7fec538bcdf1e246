import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, '.cache', 'harnesses');

/** Pinned, because a harness may change its protocol with any version. */
const packages = ['@openai/codex@0.169.0', '@google/gemini-cli@0.61.0'];

/**
 * `npm run test:harnesses`: installs real harnesses into a cache, without their install scripts,
 * and runs them with a scripted model on loopback.
 */
mkdirSync(folder, { recursive: true });
run('npm', [
  'install',
  '--prefix',
  folder,
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  ...packages,
]);
run('vitest', ['run', 'tests/harnesses', ...process.argv.slice(2)]);

function run(program: string, words: readonly string[]): void {
  const env = { ...process.env, SURETY_TEST_HARNESSES: '1', SURETY_HARNESSES: folder };
  const { status } = spawnSync(program, words, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
