import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { namedRows } from './counted-rows.ts';
import { csvRows } from './csv-rows.ts';
import { rankLimits } from './limits.ts';
import { readLogTable } from './log-table.ts';
import { chain, type MadeFault, seededRandom, writeCase } from './rank.fixture.ts';
import { rankServices } from './rank-services.ts';
import { findCases, readCase } from './read-case.ts';
import { scoreCases } from './score-cases.ts';

const top = mkdtempSync(join(tmpdir(), 'surety-rank-'));
afterAll(() => rmSync(top, { recursive: true }));

const rank = async (directory: string) => rankServices((await readCase(directory)).input);

function folder(name: string, files: Readonly<Record<string, string>>): string {
  const directory = join(top, name);
  mkdirSync(directory, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, file), text);
  return directory;
}

test('refuses rows of a log that are further apart than rankLimits.rankMomentsMax', async () => {
  const first = 1_700_000_000;
  const apart = (seconds: number) => {
    const text = `time,service,message\n${first},a,x\n${first + seconds},a,y\n`;
    return readLogTable(join(folder('apart', { 'logs.csv': text }), 'logs.csv'));
  };
  const max = 5 * rankLimits.rankMomentsMax;
  expect(await apart(max - 1)).toHaveLength(2);
  await expect(apart(max)).rejects.toThrow(/apart/);
});

test('reads a quoted field of many lines in linear time', async () => {
  // Quadratic work on this many lines would take minutes and run into the test's time limit.
  const text = `a,b\n"${'x\n'.repeat(150_000)}y",2\n`;
  const file = join(folder('long', { 'rows.csv': text }), 'rows.csv');
  const lengths: number[] = [];
  for await (const row of csvRows(file)) lengths.push(row.length);
  expect(lengths).toEqual([2, 2]);
});

test('names the labelled service in generated incidents', async () => {
  const random = seededRandom(22);
  const metrics = ['cpu', 'mem', 'latency'] as const;
  for (let seed = 0; seed < 30; seed++) {
    const cause = chain[Math.floor(random() * chain.length)] as string;
    const metric = metrics[seed % 3] as MadeFault['metric'];
    const directory = join(top, 'made', `${cause}_${metric}`, String(seed));
    writeCase(directory, { seed, cause, metric, factor: 1.5 + random() });
  }
  const places: (number | null)[] = [];
  for (const directory of findCases(join(top, 'made'))) {
    const { cause, input } = await readCase(directory);
    places.push(rankServices(input).services.findIndex(({ service }) => service === cause) + 1);
  }
  const { cases, top1, top3 } = scoreCases(places);
  expect(cases).toBe(30);
  expect(top1).toBeGreaterThanOrEqual(0.9);
  expect(top3).toBe(1);
});

test('finds the onset itself, and says what moved and what explains a slow caller', async () => {
  const directory = join(top, 'onset');
  writeCase(directory, { seed: 7, cause: 'validation', metric: 'latency', factor: 4 });
  const { input } = await readCase(directory);
  const { onset: given, ...unknownOnset } = input;
  const { onset, services } = rankServices(unknownOnset);
  expect(Math.abs((onset ?? 0) - (given ?? 0))).toBeLessThanOrEqual(5);
  expect(services[0]).toMatchObject({ service: 'validation', explainedBy: [] });
  expect(services[0]?.shifts[0]?.metric).toBe('latency');
  const caller = services.find(({ service }) => service === 'pricing');
  expect(caller?.explainedBy).toEqual(['validation']);
});

test('ranks nothing if no series changed', () => {
  const times = Array.from({ length: 50 }, (_, second) => second);
  const flat = { service: 'edge', metric: 'cpu', times, values: times.map(() => 1) };
  expect(rankServices({ series: [flat], calls: [] })).toEqual({ onset: null, services: [] });
});

test('reads two recordings, one before and one during the fault', async () => {
  const table = (cpu: number, start: number) =>
    `time,cart_cpu,cart-db_cpu\n${Array.from({ length: 40 }, (_, i) => `${start + i},${cpu + (i % 3)},${5 + (i % 2)}`).join('\n')}\n`;
  const files = { 'normal.csv': table(2, 100), 'anomalous.csv': table(90, 9_000) };
  const directory = folder('cart-cpu/1', files);
  expect((await readCase(directory)).cause).toBe('cart');
  expect((await rank(directory)).services[0]?.service).toBe('cart');
});

test('a service that fails itself ranks before the one that calls it', async () => {
  const start = 1_700_000_000_000;
  const spans = Array.from({ length: 400 }, (_, i) => {
    const [at, bad] = [start + i * 500, i >= 200 ? 500 : 200];
    return `${at},edge,e${i},,${3_000},${bad}\n${at},orders,o${i},e${i},${2_000},${bad}`;
  });
  const header = 'startTimeMillis,serviceName,spanID,parentSpanID,duration,statusCode';
  const logs = Array.from({ length: 200 }, (_, i) => {
    const text = i < 100 ? 'all is well' : '"failed, with ""quotes""\nand a second line"';
    return `${(start + i * 1_000) * 1e6},orders,${text}`;
  });
  const metrics = `time,edge_cpu\n${start / 1_000},1\n`;
  const directory = folder('traces', {
    'data.csv': metrics,
    'inject_time.txt': String(start / 1_000 + 100),
    'traces.csv': `${header}\n${spans.join('\n')}\n`,
    'logs.csv': `timestamp,container_name,message\n${logs.join('\n')}\n`,
    'label.json': '{"service":"orders"}',
  });
  const { cause, input } = await readCase(directory);
  expect(cause).toBe('orders');
  expect(input.calls).toEqual([['edge', 'orders']]);
  const [first] = rankServices(input).services;
  expect(first?.service).toBe('orders');
  expect(first?.shifts.map(({ metric }) => metric)).toContain('log-errors');
});

test('scores rankings by the place of the cause', () => {
  const { top1, top3, average5 } = scoreCases([1, 2, 4, null]);
  expect([top1, top3]).toEqual([0.25, 0.5]);
  expect(average5).toBeCloseTo((0.25 + 0.5 + 0.5 + 0.75 + 0.75) / 5);
});

test.each([
  ['no file of metrics', {}, /no data\.csv/],
  ['no column of times', { 'data.csv': 'a_cpu\n1\n' }, /no column `time`/],
  [
    'an onset that is no time',
    { 'data.csv': 'time,a_b\n1,2\n', 'inject_time.txt': 'noon' },
    /no time/,
  ],
  ['a graph that is none', { 'data.csv': 'time,a_b\n1,2\n', 'graph.json': '{"a":1}' }, /no list/],
  ['a label that is no JSON', { 'data.csv': 'time,a_b\n1,2\n', 'label.json': 'x' }, /JSON/],
  [
    'logs without services',
    { 'data.csv': 'time,a_b\n1,2\n', 'logs.csv': 'time,message\n1,x\n' },
    /no column container_name/,
  ],
])('refuses a case with %s', async (name, files, message) => {
  const directory = folder(`bad-${name.replaceAll(' ', '-')}`, files);
  await expect(async () => readCase(findCases(directory)[0] ?? '')).rejects.toThrow(message);
});

test('tables of metrics have up to rankSeriesMax columns', async () => {
  const wide = (columns: number): string => {
    const header = ['time', ...Array.from({ length: columns - 1 }, (_, i) => `s${i}_cpu`)];
    return `${header.join(',')}\n`;
  };
  const rankSeriesMax = rankLimits.rankSeriesMax;
  const last = folder('wide', { 'data.csv': wide(rankSeriesMax) });
  await expect(readCase(last)).resolves.toBeDefined();
  const over = folder('wider', { 'data.csv': wide(rankSeriesMax + 1) });
  await expect(readCase(over)).rejects.toThrow(`${rankSeriesMax} are allowed`);
});

test('a directory has up to rankCasesMax cases', () => {
  const rankCasesMax = rankLimits.rankCasesMax;
  for (let one = 0; one < rankCasesMax; one++) folder(`many/a_cpu/${one}`, { 'data.csv': '' });
  expect(findCases(join(top, 'many'))).toHaveLength(rankCasesMax);
  folder(`many/a_cpu/${rankCasesMax}`, { 'data.csv': '' });
  expect(() => findCases(join(top, 'many'))).toThrow(`${rankCasesMax} are allowed`);
});

test('logs and traces have up to a number of rows, rankRowsMax by default', async () => {
  const directory = folder('rows', { 'logs.csv': 'time\n1\n2\n3\n' });
  const count = async (most: number): Promise<number> => {
    let rows = 0;
    const file = join(directory, 'logs.csv');
    for await (const _ of namedRows(file, { time: ['time'] }, most)) rows++;
    return rows;
  };
  expect(rankLimits.rankRowsMax).toBeGreaterThan(3);
  await expect(count(3)).resolves.toBe(3);
  await expect(count(2)).rejects.toThrow('more than 2 rows');
});
