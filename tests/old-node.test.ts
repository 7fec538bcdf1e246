import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findOldNode } from './harness/old-node.ts';
import { Scratch } from './harness/scratch.ts';

const program = fileURLToPath(new URL('../bin/surety.js', import.meta.url));

const oldNode = findOldNode();
if (!oldNode) process.stderr.write('no Node older than 22 on this machine: old-node is skipped\n');

// proves: frame.old-node
test.skipIf(!oldNode)('an old Node starts the newer one in node_modules', () => {
  const { status, stdout } = spawnSync(oldNode as string, [program, 'version', '--json'], {
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(JSON.parse(stdout).node).toBe(process.version);
});

test.skipIf(!oldNode)(
  'an old Node without a newer one exits with 2 and says in two lines what to install',
  () => {
    using scratch = new Scratch();
    mkdirSync(scratch.file('bin'));
    mkdirSync(scratch.file('src/cli'), { recursive: true });
    cpSync(program, scratch.file('bin/surety.js'));
    symlinkSync(
      fileURLToPath(new URL('../package.json', import.meta.url)),
      scratch.file('package.json'),
    );
    const { status, stderr } = spawnSync(
      oldNode as string,
      [scratch.file('bin/surety.js'), 'status'],
      {
        encoding: 'utf8',
        cwd: scratch.path,
      },
    );
    expect(status).toBe(2);
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
    expect(stderr).toContain('npm install --save-dev node@24');
  },
);
