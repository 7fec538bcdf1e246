import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCoverage, stopWatching, watchLines } from './coverage-files.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'surety-coverage-'));
  mkdirSync(join(root, 'tree'));
});
afterAll(() => rmSync(root, { recursive: true }));

const open = (name: string): string => {
  const directory = join(root, name);
  const variables = watchLines(directory, { 'a.js': [1, 2] }, { top: join(root, 'tree') });
  expect(fileURLToPath(variables.SURETY_COVERAGE ?? '')).toBe(directory);
  return directory;
};

test('tells processes the lines by their paths, and reads what they recorded', () => {
  const directory = open('well');
  const file = join(root, 'tree', 'a.js');
  const told = JSON.parse(readFileSync(join(directory, 'lines.json'), 'utf8'));
  expect(told).toEqual({ [file]: [1, 2] });
  const records = [
    { started: 'node' },
    { loaded: file, points: [[1, 0]] },
    { ran: file, point: [1, 0], request: 'GET /', trace: 'abc' },
  ];
  for (const one of records) {
    appendFileSync(join(directory, 'my.service.12.0.jsonl'), `${JSON.stringify(one)}\n`);
  }
  appendFileSync(join(directory, 'my.service.12.0.jsonl'), '{"ran": "half');
  const point = { file: 'a.js', line: 1, column: 0 };
  expect(readCoverage(directory, join(root, 'tree'))).toEqual({
    recorders: new Set(['node my.service']),
    points: [point],
    executed: [{ ...point, request: 'GET /', traceId: 'abc' }],
  });
});

test('ignores records of the wrong shape', () => {
  const directory = open('wrong');
  const lines = [
    '5',
    'null',
    '{"ran":5}',
    '{"loaded":"/a","points":[["x"]]}',
    '{"ran":"/a","point":{}}',
  ];
  writeFileSync(join(directory, 'till.1.0.jsonl'), lines.join('\n'));
  const { points, executed } = readCoverage(directory, join(root, 'tree'));
  expect([...points, ...executed]).toEqual([]);
});

test('follows no link that a candidate made in place of a file', () => {
  const directory = open('links');
  const secret = join(root, 'secret');
  writeFileSync(secret, '{"started":"node"}');
  symlinkSync(secret, join(directory, 'till.1.0.jsonl'));
  symlinkSync(secret, join(directory, 'done'));
  stopWatching(directory);
  expect(readFileSync(secret, 'utf8')).toBe('{"started":"node"}');
  expect(readCoverage(directory, join(root, 'tree')).recorders.size).toBe(0);
});

test('has nothing to read of a lane that watches nothing', () => {
  stopWatching(join(root, 'none'));
  expect(readCoverage(join(root, 'none'), join(root, 'tree')).points).toEqual([]);
});
