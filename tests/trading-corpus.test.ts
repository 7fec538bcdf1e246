import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { changesFolder, type KnownChange, readCorpus } from '../scripts/campaign/corpus-changes.ts';
import { type Judged, outcomeOf, tableText } from '../scripts/campaign/corpus-table.ts';
import { openUnitTests } from '../scripts/campaign/corpus-units.ts';
import { allMutants, writeMutant } from '../scripts/campaign/mutate.ts';
import { formatRound } from '../scripts/campaign/round-table.ts';
import { weakenedTests } from '../src/lanes/change/weakened-tests.ts';
import { runs } from './harness/deep.ts';
import { seeded } from './harness/seeded.ts';

/** Changes of the trading example that a verdict has to tell apart, and unit tests cannot. */
const corpus = readCorpus();
const all = [...corpus.faulty, ...corpus.harmless];

/** Every class of fault that the product is meant for. */
const classes = [
  'N+1',
  'TLS misconfiguration',
  'auth bypass',
  'contract drift',
  'database connection broken by an environment variable',
  'exposed internal endpoint',
  'flag service that cannot reach Redis',
  'leak',
  'lost idempotency',
  'memory limit',
  'number to string',
  'pool starvation under load',
  'raised timeout that cascades',
  'resource contention',
  'retry storm',
  'serialization mismatch',
  'sparse errors',
  'wrong in an unchanged downstream service',
  'wrong only for edge data',
];

describe('the corpus of changes', () => {
  test('has at least thirty faulty and thirty harmless changes, each of them once', () => {
    expect(corpus.faulty.length).toBeGreaterThanOrEqual(30);
    expect(corpus.harmless.length).toBeGreaterThanOrEqual(30);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  test('has a fault of every class', () => {
    expect([...new Set(corpus.faulty.map((change) => change.class))].sort()).toEqual(classes);
  });

  test('lists every patch in its folders', () => {
    const files = (['faulty', 'harmless'] as const).flatMap((kind) =>
      readdirSync(join(changesFolder, kind)).map((file) => join(changesFolder, kind, file)),
    );
    const listed = new Set(all.map(({ patch }) => patch));
    expect(files.filter((file) => !listed.has(file))).toEqual([]);
  });

  test('has only two patches that alter what a test expects, and none that removes a test', () => {
    const weakening = all.flatMap(({ name, patch }) =>
      weakenedTests(readFileSync(patch, 'utf8')).map(({ why }) => [name, why]),
    );
    expect(weakening).toEqual([
      ['flags-as-text', 'expects something else than before'],
      ['total-as-text', 'expects something else than before'],
    ]);
  });
});

const said = {
  status: 'fail',
  reason: 'seen twice',
  seconds: 9,
  profile: 'quick',
  first: { class: 'contract', service: 'fees', what: 'type-changed', hop: null },
  findings: 1,
  checksFailed: 0,
  notices: [],
} as const;
const faulty = { ...corpus.faulty[0], service: 'fees', findings: ['contract'] } as KnownChange;
const harmless = corpus.harmless[0] as KnownChange;

describe('the rating of a verdict', () => {
  test.each([
    { change: faulty, answer: said, outcome: 'right' },
    {
      change: faulty,
      answer: { first: { ...said.first, service: 'orders' } },
      outcome: 'caught otherwise',
    },
    {
      change: faulty,
      answer: { first: { ...said.first, class: 'status' } },
      outcome: 'caught otherwise',
    },
    { change: faulty, answer: { status: 'fault', first: null }, outcome: 'inconclusive' },
    { change: faulty, answer: { status: 'inconclusive' }, outcome: 'inconclusive' },
    { change: faulty, answer: { status: 'pass', first: null }, outcome: 'passed' },
    { change: harmless, answer: { status: 'pass', first: null }, outcome: 'right' },
    { change: harmless, answer: { status: 'inconclusive' }, outcome: 'inconclusive' },
    { change: harmless, answer: said, outcome: 'failed' },
    { change: harmless, answer: { status: 'fault', first: null }, outcome: 'failed' },
  ] as const)('$change.kind, $answer.status: $outcome', ({ change, answer, outcome }) => {
    expect(outcomeOf(change, { ...said, ...answer })).toBe(outcome);
  });

  test('is summed up for every judge, with the wrong verdicts listed', () => {
    const judged: Judged[] = [
      { ...faulty, digest: '', surety: { ...said, status: 'pass' }, isGreen: true },
      { ...harmless, digest: '', surety: said, traffic: null },
    ];
    const lines = tableText([faulty, harmless], judged).split('\n');
    const row = (name: string) =>
      lines.find((line) => line.startsWith(name))?.match(/\d+(?=\s|$)/g);
    expect(row('Surety')).toEqual(['0', '0', '0', '1', '0', '0', '1']);
    expect(row('unit tests')).toEqual(['0', '0', '1', '0', '0', '0']);
    expect(row('suites')).toEqual(['0', '0', '1', '1', '0', '0']);
    expect(lines.at(-2)).toContain(`faulty ${faulty.name}`);
    expect(lines.at(-1)).toContain(`harmless ${harmless.name}`);
  });
});

describe('the table of a round', () => {
  const author = (name: string, change: KnownChange): KnownChange => ({ ...change, author: name });
  const results = [
    { change: author('a', faulty), said },
    { change: author('b', faulty), said: { ...said, status: 'pass' as const, first: null } },
    {
      change: author('c', faulty),
      said: { ...said, status: 'pass' as const, first: null, coverage: 'partial' },
    },
    { change: author('a', harmless), said },
    {
      change: author('b', harmless),
      said: { ...said, first: { ...said.first, class: 'start' } },
    },
    { change: author('c', harmless), said: { ...said, status: 'fault' as const, first: null } },
  ];
  const lines = formatRound(results).split('\n');
  const numbers = (name: string) =>
    lines
      .find((line) => line.startsWith(`${name} `))
      ?.match(/\b\d+(?=\s|$)/g)
      ?.map(Number);

  test('counts verdicts in all and by author', () => {
    expect(numbers('all')).toEqual([3, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1]);
    expect(numbers('b')).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
  });

  test('sets aside what has no verdict and what does not start', () => {
    expect(lines).toContain('Set aside: 2');
    expect(lines.some((line) => line.includes('b/') && line.endsWith('does not start'))).toBe(true);
  });
});

describe('the mutants', () => {
  const mutants = allMutants();

  test('are of every kind, in every service, each of them once', () => {
    const services = readdirSync(join(changesFolder, '..', 'services'));
    expect([...new Set(mutants.map(({ service }) => service))].sort()).toEqual(services.sort());
    expect(new Set(mutants.map(({ kind }) => kind)).size).toBe(5);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    expect(mutants.length).toBeGreaterThan(500);
  });

  test('name the part of the source that they change', () => {
    for (const { file, start, end, from, to } of mutants) {
      const text = readFileSync(join(changesFolder, '..', file), 'utf8');
      expect(text.slice(start, end)).toBe(from);
      expect(to).not.toBe(from);
    }
  });

  test.each(['.ts', '.py'])('of %s files are patches that apply', async (ending) => {
    const mutant = mutants.find(({ file }) => file.endsWith(ending));
    if (!mutant) throw new Error(`no mutant of ${ending}`);
    const patch = writeMutant(mutant);
    const { file, to } = mutant;
    const applied = execFileSync('git', ['apply', '--numstat', patch], { encoding: 'utf8' });
    expect(applied).toContain(file);
    expect(readFileSync(patch, 'utf8')).toContain(to.split('\n')[0]);
  });
});

const sampleSize = runs(1, 8);
const draw = seeded(9);
const sample = Array.from({ length: sampleSize }, () => all[Math.floor(draw() * all.length)]);

describe('unit tests with mocks', async () => {
  const units = await openUnitTests();
  afterAll(() => units.close());

  test('accept every patch of the corpus on the checked-in version', async () => {
    const refused: string[] = [];
    for (const change of all) if (!(await units.applies(change))) refused.push(change.name);
    expect(refused).toEqual([]);
  });

  test.each(sample)('stay green with $name', async (change) => {
    if (!change) throw new Error('the corpus is empty');
    expect(await units.run(change)).toMatchObject({ isGreen: true });
  });
});
