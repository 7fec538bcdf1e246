import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const recorder = fileURLToPath(new URL('./coverage.cjs', import.meta.url));

/** What a process records that watches the first line of one file and loads a script. */
function recordsOf(watched: string, script: string, text: string): object[] {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'surety-recorder-')));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const lines = { [join(directory, watched)]: [1] };
  writeFileSync(join(directory, 'lines.json'), JSON.stringify(lines));
  writeFileSync(join(directory, script), text);
  const program = `require(${JSON.stringify(recorder)}).recordCoverage(${JSON.stringify(directory)}, 'till');
    require(${JSON.stringify(join(directory, script))});`;
  execFileSync(process.execPath, ['-e', program], { env: {} });
  const [file = ''] = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
  const records = readFileSync(join(directory, file), 'utf8').trim().split('\n');
  return records.map((line) => JSON.parse(line.replaceAll(`${directory}/`, '')));
}

test('a process watches a script whose source map is missing by its own lines', () => {
  const text = 'module.exports = 1;\n//# sourceMappingURL=sale.js.map\n';
  expect(recordsOf('sale.js', 'sale.js', text)).toMatchObject([
    { started: 'node' },
    { loaded: 'sale.js' },
    { ran: 'sale.js' },
  ]);
});

test('a process that loads compiled code without a source map knows no sources', () => {
  expect(recordsOf('sale.ts', 'sale.js', 'module.exports = 1;\n')).toEqual([{ started: 'node' }]);
});

test('a process that loads compiled code with a source map says so', () => {
  const map = JSON.stringify({ version: 3, sources: ['sale.ts'], mappings: 'AAAA' });
  const text = `module.exports = 1;\n//# sourceMappingURL=data:application/json,${encodeURIComponent(map)}\n`;
  expect(recordsOf('sale.ts', 'sale.js', text)).toMatchObject([
    { started: 'node' },
    { started: 'typescript' },
    { loaded: 'sale.ts' },
    { ran: 'sale.ts', point: [1, 0] },
  ]);
});

// Takes minutes, and so runs into the time limit, if the line is noted in every round.
test('a line of a loop is noted once, however often it runs', () => {
  const text = 'for (let round = 0; round < 1e7; round++) Math.sqrt(round);\n';
  const records = recordsOf('sale.js', 'sale.js', text);
  const ran = records.filter((record) => 'ran' in record).map((record) => JSON.stringify(record));
  expect(ran.length).toBeGreaterThan(0);
  expect(new Set(ran).size).toBe(ran.length);
});
