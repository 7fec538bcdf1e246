import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { suretyProgram } from './harness/programs.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';
import { workspaceVariable } from './harness/workspace-processes.ts';

const page = readFileSync(new URL('../docs/guard.md', import.meta.url), 'utf8');

interface Step {
  readonly command: string;
  readonly expected: readonly string[];
}

type Block =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'console'; readonly steps: readonly Step[] };

/** ```yaml policy.yaml is a file to write; ```console is what to type, and what comes. */
function blocksOf(markdown: string): Block[] {
  const found = markdown.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm);
  return Array.from(found, ([, language, name, text = '']): Block => {
    if (language === 'console') return { kind: 'console', steps: stepsOf(text) };
    return { kind: 'file', name: name ?? '', text };
  });
}

function stepsOf(text: string): Step[] {
  return text
    .split(/^\$ /m)
    .filter((part) => part !== '')
    .map((part) => {
      const [command = '', ...expected] = part.trimEnd().split('\n');
      return { command, expected };
    });
}

/** A directory of the user, where `npx surety` is the one of this clone. */
function shellOf(workspace: Workspace): (command: string) => Promise<string> {
  const bin = join(workspace.root, 'bin');
  mkdirSync(bin);
  const shim = `#!/bin/sh\nshift\nexec "${process.execPath}" "${suretyProgram}" "$@"\n`;
  writeFileSync(join(bin, 'npx'), shim);
  chmodSync(join(bin, 'npx'), 0o755);
  const path = [bin, join(process.execPath, '..'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, NO_COLOR: '1', [workspaceVariable]: workspace.root };
  return (command) =>
    new Promise((resolve) => {
      execFile('sh', ['-c', command], { cwd: workspace.root, env }, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
}

/** In their order; `…` is any text within a line, and any lines where it stands alone. */
function matches(expected: readonly string[], output: string): boolean {
  const pattern = expected.map((line) => {
    if (line === '…') return '(?:.*\\n)*?';
    const parts = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return `${parts.join('.*')}\\n`;
  });
  return new RegExp(`^${pattern.join('')}$`).test(output);
}

// proves: gate.newcomer
test('the guard page leads from an unguarded function to an enforced policy', async () => {
  await using workspace = new Workspace();
  const shell = shellOf(workspace);
  for (const block of blocksOf(page)) {
    if (block.kind === 'file') {
      const write = () => writeFileSync(join(workspace.root, block.name), block.text);
      if (block.name === 'policy.yaml') await adopted(workspace, write);
      else write();
      continue;
    }
    for (const { command, expected } of block.steps) {
      const output = await shell(command);
      const isSame = matches(expected, output);
      expect
        .soft(isSame ? expected.join('\n') : `$ ${command}\n${output}`)
        .toBe(expected.join('\n'));
    }
  }
});

/** A reader takes longer than the second in which the daemon notices. */
async function adopted(workspace: Workspace, write: () => void): Promise<void> {
  const { hash } = (await workspace.surety('policy', 'show')).value;
  write();
  if (typeof hash !== 'string') return;
  await until('the daemon has it', async () => {
    return (await workspace.run('policy', 'show')).hash !== hash;
  });
}

test('the output of a command is compared line by line', () => {
  expect(matches(['a …', '…', 'z'], 'a b\nx\ny\nz\n')).toBe(true);
  expect(matches(['a …', 'z'], 'a b\nx\nz\n')).toBe(false);
  expect(matches(['a (b)'], 'a (b)\n')).toBe(true);
  expect(matches(['…'], '')).toBe(true);
});
