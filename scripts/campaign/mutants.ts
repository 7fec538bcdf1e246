import { parseArgs } from 'node:util';
import { seeded } from '../../tests/harness/seeded.ts';
import { say } from '../steps.ts';
import type { KnownChange } from './corpus-changes.ts';
import { aligned, type Row } from './corpus-table.ts';
import type { SuretySaid } from './corpus-verdict.ts';
import { judgeBySurety, openBook } from './judge-changes.ts';
import { allMutants, type Mutant, writeMutant } from './mutate.ts';
import { namesAllLines } from './round-table.ts';

const usage = 'npm run campaign -- mutants [count] [seed] [--json file] [--table]';

const options = {
  json: { type: 'string', default: '.cache/mutants.json' },
  table: { type: 'boolean', default: false },
} as const;

/**
 * `npm run campaign -- mutants 500 1`: so many mutants of the services of the trading example,
 * drawn by lot, each judged in `quick`. One that passes without its line being named is one that an
 * author would take for proven.
 */
export async function mutantsCampaign(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  const [count = 500, seed = 1] = positionals.map(Number);
  if (!Number.isInteger(count) || !Number.isInteger(seed)) {
    say(usage);
    return 2;
  }
  const mutants = drawMutants(allMutants(), count, seed);
  const changes = mutants.map((mutant) => ({ mutant, change: asChange(mutant) }));
  const book = openBook(values.json);
  if (!values.table) {
    const open = changes.filter(({ change }) => book.find(change)?.surety === undefined);
    await judgeBySurety(
      open.map(({ change }) => change),
      { book, profile: 'quick' },
    );
  }
  const judged = changes.flatMap(({ mutant, change }) => {
    const said = book.find(change)?.surety;
    return said ? [{ mutant, fate: fateOf(said), said }] : [];
  });
  say(`\n${formatFates(judged)}`);
  return judged.some(({ fate }) => fate === 'passed silently') ? 1 : 0;
}

/** Without putting back: all of them in a random order, the first so many. */
export function drawMutants(all: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = seeded(seed);
  const keyed = all.map((mutant) => ({ mutant, key: random() }));
  return keyed
    .sort((one, other) => one.key - other.key)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

export function asChange(mutant: Mutant): KnownChange {
  const { name, kind, service, file, line, from, to } = mutant;
  return {
    name,
    kind: 'faulty',
    author: 'mutants',
    about: `${file}:${line}: ${from} → ${to}`,
    class: kind,
    service,
    findings: [],
    profile: 'quick',
    lane: [],
    patch: writeMutant(mutant),
  };
}

const fates = ['killed', 'inconclusive', 'line named', 'passed silently', 'no verdict'] as const;
type Fate = (typeof fates)[number];

function fateOf(said: SuretySaid): Fate {
  if (said.status === 'fault') return 'no verdict';
  if (said.status === 'fail') return 'killed';
  if (said.status === 'inconclusive') return 'inconclusive';
  return namesAllLines(said) ? 'line named' : 'passed silently';
}

interface JudgedMutant {
  readonly mutant: Mutant;
  readonly fate: Fate;
  readonly said: SuretySaid;
}

function formatFates(judged: readonly JudgedMutant[]): string {
  const row = (name: string, own: readonly JudgedMutant[]): Row => [
    name,
    own.length,
    ...fates.map((fate) => own.filter((one) => one.fate === fate).length),
  ];
  const by = (group: (mutant: Mutant) => string): Row[] =>
    [...Map.groupBy(judged, ({ mutant }) => group(mutant))].map(([name, own]) => row(name, own));
  const survivors = judged.filter(({ fate }) => fate !== 'killed');
  return [
    ...aligned([
      ['mutants', 'all', ...fates],
      row('all', judged),
      ...by(({ service }) => service),
      ...by(({ kind }) => kind),
    ]),
    '',
    ...survivors.map(
      ({ mutant: { file, line, from, to }, fate, said }) =>
        `${fate}  ${file}:${line}  ${from} → ${to}  ${fate === 'line named' ? '' : said.reason}`,
    ),
  ].join('\n');
}
