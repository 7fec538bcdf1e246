import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import type { BlockedCode } from '../placement-rules.ts';
import { type ActiveProbe, placeProbe } from '../probe.ts';
import type { ProbeRequest } from '../request.ts';
import { deps } from '../scene.fixture.ts';

const files = {
  'order.ts': `export interface Order {
  readonly amount: number;
}

export function classify(order: Order, limit: number): string {
  const isLarge: boolean = order.amount > limit;
  return isLarge ? 'large' : 'small';
}
`,
  'main.ts': `import { classify } from './order.ts';

let count = 0;
setInterval(() => {
  count++;
  if (classify({ amount: count }, 10) === 'none') console.log(count);
}, 20);
setTimeout(() => process.exit(), 120_000);
console.log('up');
`,
};

/** Starts what a bundler made of the files above, and a shell and npm around it if wanted. */
class CompiledApp {
  readonly pid: number;
  readonly #child: ReturnType<typeof spawn>;

  private constructor(child: ReturnType<typeof spawn>) {
    this.#child = child;
    this.pid = child.pid as number;
  }

  static async start(command: string, words: readonly string[], cwd: string): Promise<CompiledApp> {
    const child = spawn(command, words, {
      cwd,
      // A free port for its inspector: tests run side by side.
      env: { ...process.env, NODE_OPTIONS: '--inspect-port=0' },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    let said = '';
    while (!said.includes('up\n')) said += String((await once(child.stdout, 'data'))[0]);
    return new CompiledApp(child);
  }

  place(
    request: Partial<ProbeRequest>,
    blocked: readonly BlockedCode[] = [],
  ): Promise<ActiveProbe> {
    return placeProbe({ pids: [this.pid], file: 'order.ts', ...request }, { ...deps, blocked });
  }

  stop(): void {
    process.kill(-this.pid, 'SIGKILL');
    this.#child.unref();
  }
}

describe.runIf(process.platform === 'linux')('a line of TypeScript is found in', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'surety-compiled-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const scripts = { start: `${process.execPath} whole.js` };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts }));
    for (const [file, minify] of [
      ['whole.js', false],
      ['small.js', true],
    ] as const) {
      await using build = await rolldown({ input: join(folder, 'main.ts'), platform: 'node' });
      await build.write({ file: join(folder, file), sourcemap: true, minify });
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['a file whose types Node removes', 'main.ts'],
    ['a bundle', 'whole.js'],
    ['a minified bundle, under the names of the source', 'small.js'],
  ])('%s', async (_, file) => {
    const app = await CompiledApp.start(process.execPath, [file], folder);
    try {
      const probe = await app.place({
        line: 7,
        template: '{order.amount} of {limit}: {typeof isLarge}',
      });
      const capture = await until('it was hit', () => probe.captures.kept[0]);
      expect(capture.message).toMatch(/^\d+ of 10: (?:boolean|undefined)$/);
      expect(capture.stack[0]).toMatchObject({ file: join(folder, 'order.ts') });
      const [instance] = probe.instances();
      expect(instance?.place).toMatchObject({ file: join(folder, 'order.ts'), line: 7 });
      expect(instance?.place?.drift).toBeUndefined();
      await probe.remove();
      await expect(app.place({ line: 2 })).rejects.toMatchObject({ code: 'PROBE_LINE_REFUSED' });
    } finally {
      app.stop();
    }
  });

  test('a bundle, which nobody probes under its own name to evade a rule', async () => {
    const app = await CompiledApp.start(process.execPath, ['whole.js'], folder);
    try {
      const lines = readFileSync(join(folder, 'whole.js'), 'utf8').split('\n');
      const line = lines.findIndex((one) => one.includes('order.amount > limit')) + 1;
      const asBundle = app.place({ file: 'whole.js', line, kind: 'counter' });
      await expect(asBundle).rejects.toMatchObject({
        code: 'PROBE_GENERATED',
        values: { source: `${join(folder, 'order.ts')}:6` },
      });
    } finally {
      app.stop();
    }
  });

  test('a minified bundle, where a rule names the function of the source', async () => {
    const app = await CompiledApp.start(process.execPath, ['small.js'], folder);
    try {
      const rule = { file: 'order.ts', function: 'classify' };
      const request = { line: 7, kind: 'counter' } as const;
      await expect(app.place(request, [rule])).rejects.toMatchObject({ code: 'PROBE_BLOCKED' });
      const other = await app.place(request, [{ ...rule, function: 'other' }]);
      await other.remove();
    } finally {
      app.stop();
    }
  });

  test('a process below a shell, and says that the file on disk is another one', async () => {
    const app = await CompiledApp.start('sh', ['-c', `${process.execPath} whole.js; true`], folder);
    try {
      writeFileSync(join(folder, 'order.ts'), `// a new first line\n${files['order.ts']}`);
      const probe = await app.place({ line: 7, kind: 'counter' });
      const [instance] = probe.instances();
      expect(instance?.pid).not.toBe(app.pid);
      expect(instance?.place?.drift).toContain('is not the text that the process loaded');
      await probe.remove();
    } finally {
      writeFileSync(join(folder, 'order.ts'), files['order.ts']);
      app.stop();
    }
  });
});
