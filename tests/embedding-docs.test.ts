import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Scratch } from './harness/scratch.ts';

const page = readFileSync(new URL('../docs/embedding.md', import.meta.url), 'utf8');
const surface = new URL('../src/index.ts', import.meta.url).href;

// proves: embedding.docs
test('the program in docs/embedding.md prints what the page shows', async () => {
  using scratch = new Scratch();
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const file = scratch.file('program.mts');
  writeFileSync(file, program.replace(`from 'surety'`, `from '${surface}'`));
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: scratch.path });
  expect(stdout).toBe('PROPOSAL_DENIED: Use at most 20 characters.\nhello\ncareful\n');
});
