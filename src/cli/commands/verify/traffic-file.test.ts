import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sharedLimits } from '../../../kernel/index.ts';
import { readTraffic } from './traffic-file.ts';

function fileWith(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'surety-traffic-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'traffic.jsonl');
  writeFileSync(file, text);
  return file;
}

const line = '{"method":"GET","path":"/orders"}\n';

test('reads one request from each line of a traffic file, up to a maximum', () => {
  expect(readTraffic(fileWith(`${line}\n${line}`))).toHaveLength(2);
  expect(readTraffic(fileWith(line.repeat(sharedLimits.takenRequestsMax)))).toHaveLength(200);
  expect(() => readTraffic(fileWith(line.repeat(sharedLimits.takenRequestsMax + 1)))).toThrow(
    '201',
  );
});

test('reports a line that is no request, and a missing traffic file', () => {
  expect(() => readTraffic(fileWith(`${line}{"method":`))).toThrow(/line 2 of .* is not JSON/);
  expect(() => readTraffic('/nowhere/traffic.jsonl')).toThrow("can't be read");
});
