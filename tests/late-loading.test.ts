import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Tells on standard error from which packages something was loaded. */
const watch = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const inside = url.split('/node_modules/')[1];
      if (inside) packages.add(/^(@[^/]+[/])?[^/]+/.exec(inside)[0]);
      return next(url, context);
    },
  });
  process.on('exit', () => process.stderr.write(JSON.stringify([...packages])));
`;

function packagesOf(...words: string[]): string[] {
  const hooks = `data:text/javascript,${encodeURIComponent(watch)}`;
  const { stderr } = spawnSync(process.execPath, ['--import', hooks, ...words], {
    cwd: root,
    encoding: 'utf8',
  });
  return JSON.parse(stderr);
}

test('help loads no package that only commands need', () => {
  expect(packagesOf('bin/surety.js', '--help')).toEqual(['commander']);
  expect(packagesOf('bin/surety.js', 'verify', '--help')).toEqual(['commander']);
});

test('a daemon loads optional packages only at their first use', () => {
  const packages = packagesOf('--eval', 'import("./src/runtime/daemon.ts")');
  expect(packages).toEqual(expect.arrayContaining(['hono', 'yaml', 'zod']));
  for (const late of ['@bufbuild/cel', '@kubernetes/client-node', 'ajv', 'pg'])
    expect(packages).not.toContain(late);
  expect(packages.filter((name) => name.startsWith('@modelcontextprotocol/'))).toEqual([]);
});
