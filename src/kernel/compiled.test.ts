import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const program = `
  import { compiledVariable } from ${JSON.stringify(new URL('compiled.ts', import.meta.url).href)};
  console.log(JSON.stringify(compiledVariable()));
`;

/** What a process hands on that was itself given this. */
function handedOn(given: { readonly NODE_COMPILE_CACHE?: string }): unknown {
  const words = ['--input-type=module', '--eval', program];
  const env = { PATH: process.env.PATH, ...given };
  return JSON.parse(execFileSync(process.execPath, words, { env, encoding: 'utf8' }));
}

test('passes the compile cache on to child processes, if there is one', () => {
  const directory = mkdtempSync(join(tmpdir(), 'surety-compiled-'));
  try {
    const given = { NODE_COMPILE_CACHE: directory };
    expect(handedOn(given)).toEqual(given);
    expect(handedOn({})).toEqual({});
  } finally {
    rmSync(directory, { recursive: true });
  }
});
