import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { blocksOf, matchesPage, shellOf } from './harness/page-commands.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const page = readFileSync(new URL('../docs/guard.md', import.meta.url), 'utf8');

// proves: gate.newcomer
test.runIf(isDeep)(
  'the guard page leads from an unguarded function to an enforced policy',
  async () => {
    await using workspace = new Workspace();
    const shell = shellOf(workspace.root, join(workspace.root, 'bin'));
    for (const block of blocksOf(page)) {
      if (block.kind === 'file') {
        const write = () => writeFileSync(join(workspace.root, block.name), block.text);
        if (block.name === 'policy.yaml') await adopted(workspace, write);
        else write();
        continue;
      }
      for (const { command, expected } of block.steps) {
        const output = await shell(command);
        const isSame = matchesPage(expected, output);
        expect
          .soft(isSame ? expected.join('\n') : `$ ${command}\n${output}`)
          .toBe(expected.join('\n'));
      }
    }
  },
);

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
  expect(matchesPage(['a …', '…', 'z'], 'a b\nx\ny\nz\n')).toBe(true);
  expect(matchesPage(['a …', 'z'], 'a b\nx\nz\n')).toBe(false);
  expect(matchesPage(['a (b)'], 'a (b)\n')).toBe(true);
  expect(matchesPage(['…'], '')).toBe(true);
});
