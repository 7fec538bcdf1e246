import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const module = join(import.meta.dirname, 'inherited-descriptors.ts');

/** A shell that has the file open as descriptor 40 starts Node, which starts another program. */
function readFromGrandchild(file: string, closes: boolean): string {
  const script = `
    import { spawnSync } from 'node:child_process';
    import { closeInheritedDescriptors } from ${JSON.stringify(module)};
    if (${closes}) closeInheritedDescriptors();
    const { stdout } = spawnSync('cat', ['/proc/self/fd/40'], { encoding: 'utf8' });
    process.stdout.write(stdout);
  `;
  const start = 'exec 40< "$1"; exec "$2" --input-type=module --eval "$3"';
  const words = ['-c', start, 'bash', file, process.execPath, script];
  return spawnSync('bash', words, { encoding: 'utf8' }).stdout;
}

test.runIf(process.platform === 'linux')(
  'programs that the keeper starts get no descriptor of the shell that started the keeper',
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'surety-descriptors-'));
    const file = join(directory, 'secret');
    writeFileSync(file, 'of the owner');
    expect(readFromGrandchild(file, false)).toBe('of the owner');
    expect(readFromGrandchild(file, true)).toBe('');
    rmSync(directory, { recursive: true });
  },
);
