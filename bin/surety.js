#!/usr/bin/env node
// Runs on any Node that knows ES modules: it finds a Node that is new enough, or says what to do.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
// A clone has the sources, which need a Node that strips types; a package has what was built.
const source = join(here, '..', 'src', 'cli', 'main.ts');
const isClone = existsSync(source);
const entry = isClone ? source : join(here, '..', 'dist', 'cli.js');
const { engines } = JSON.parse(readFileSync(join(here, '..', 'package.json'), 'utf8'));
const needed = isClone ? [22, 18] : engines.node.match(/\d+/g).map(Number);

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > needed[0] || (major === needed[0] && minor >= needed[1]);
}

/** The `node` package puts a binary into node_modules, beside us or beside whoever installed us. */
function findNewerNode() {
  for (const start of [here, process.cwd()]) {
    for (let directory = start; ; directory = dirname(directory)) {
      const candidate = join(directory, 'node_modules', 'node', 'bin', 'node');
      if (existsSync(candidate)) {
        const { stdout } = spawnSync(candidate, ['--version'], { encoding: 'utf8' });
        if (stdout && isNewEnough(stdout.trim().replace(/^v/, ''))) return candidate;
      }
      if (directory === dirname(directory)) break;
    }
  }
  return undefined;
}

if (isNewEnough(process.versions.node)) {
  await import(pathToFileURL(entry).href);
} else {
  const newer = findNewerNode();
  if (newer) {
    const { status, signal } = spawnSync(newer, [entry, ...process.argv.slice(2)], {
      stdio: 'inherit',
    });
    if (signal) process.kill(process.pid, signal);
    process.exit(status ?? 3);
  }
  process.stderr.write(
    `Surety needs Node ${needed.join('.')} or newer; this is ${process.version}.\n` +
      'Install one from nodejs.org, or add it to your project: npm install --save-dev node@24\n',
  );
  process.exit(2);
}
