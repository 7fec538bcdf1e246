import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const surety = fileURLToPath(new URL('../../bin/surety.js', import.meta.url));
const watch = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = url.split('/node_modules/');
      if (name) packages.add(name.split('/')[0]);
      return next(url, context);
    },
  });
  process.on('exit', () => process.stderr.write([...packages].join(' ')));
`;

/** The packages that a command has loaded when it ends. */
function loadedBy(...words: string[]): string {
  const hooks = `data:text/javascript,${encodeURIComponent(watch)}`;
  const run = spawnSync(process.execPath, ['--import', hooks, surety, ...words], {
    encoding: 'utf8',
  });
  expect(run.stdout).toContain('surety');
  return run.stderr;
}

test('help loads nothing of what the commands need', () => {
  expect(loadedBy('--help')).toBe('commander');
  expect(loadedBy('verify', '--help')).toBe('commander');
});
