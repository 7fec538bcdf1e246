import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seeded } from '../../tests/harness/seeded.ts';
import { say } from '../steps.ts';
import { type CorpusSystem, startCorpusSystem } from './corpus-system.ts';
import { aligned } from './corpus-table.ts';
import { startAgain, whenEnded } from './judge-changes.ts';
import { asChange, drawMutants } from './mutants.ts';
import { allMutants, type Mutant } from './mutate.ts';

const options = { json: { type: 'string', default: '.cache/incidents.json' } } as const;
const services = ['edge', 'orders', 'payments', 'pricing', 'validation'];
const harmless = fileURLToPath(
  new URL('../../examples/trading/changes/harmless/', import.meta.url),
);
const decoys = ['rule-named', 'second-line-in-the-log', 'payments-logs-with-amounts'];

/** What one investigation said of a mutant that was promoted before a decoy. */
interface Incident {
  readonly name: string;
  readonly kind: Mutant['kind'];
  readonly place: string;
  readonly decoy: string;
  readonly outcome: 'right' | 'wrong' | 'unknown' | 'no symptom' | 'not promoted';
  readonly found: string;
  readonly missing: string;
  readonly seconds: number;
}

/**
 * `npm run campaign -- incidents 50 1`: so many mutants of the five services of the demo, drawn by
 * lot. Each is promoted, then a harmless decoy, then Surety is asked why requests fail. A wrong
 * confirmation ends with 1. What is known is kept, so that a campaign goes on where it was.
 */
export async function incidentsCampaign(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  const [count = 50, seed = 1] = positionals.map(Number);
  const mutants = allMutants().filter((one) => services.includes(one.service));
  const drawn = drawMutants(mutants, count, seed);
  const known = readKnown(values.json);
  const random = seeded(seed);
  const planned = drawn.map((mutant) => ({
    mutant,
    decoy: decoys[Math.floor(random() * 3)] ?? '',
  }));
  const open = planned.filter(({ mutant }) => !known.has(mutant.name));
  if (open.length > 0) await runAll(open, known, values.json);
  const incidents = drawn.flatMap(({ name }) => known.get(name) ?? []);
  say(`\n${formatTable(incidents)}`);
  return incidents.some(({ outcome }) => outcome === 'wrong') ? 1 : 0;
}

function readKnown(file: string): Map<string, Incident> {
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Incident[]) : [];
  return new Map(kept.map((incident) => [incident.name, incident]));
}

async function runAll(
  planned: readonly { readonly mutant: Mutant; readonly decoy: string }[],
  known: Map<string, Incident>,
  file: string,
): Promise<void> {
  const isEnding = whenEnded();
  const system = await startAgain(() => startCorpusSystem(undefined, 'surety-core.yaml'));
  try {
    for (const { mutant, decoy } of planned) {
      if (isEnding()) break;
      const incident = await runOne(mutant, decoy, system);
      known.set(mutant.name, incident);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${JSON.stringify([...known.values()], null, 1)}\n`);
      const { name, outcome, found, missing, seconds } = incident;
      say(`${name}: ${outcome} ${found}${missing} (${seconds} s)`);
    }
  } finally {
    await system.stop();
  }
}

const secondsMax = 300;

async function runOne(mutant: Mutant, decoy: string, system: CorpusSystem): Promise<Incident> {
  const change = asChange(mutant);
  const other = { ...change, name: decoy, patch: join(harmless, `${decoy}.patch`) };
  const files = [change, other].map((one) => system.patchFile(one));
  const promote = (patch: string) =>
    system.surety(['promote', patch, '--reason', 'an ordinary change'], secondsMax);
  const place = `${mutant.file}:${mutant.line}`;
  const facts = { name: mutant.name, kind: mutant.kind, place, decoy };
  const [bad = '', harmlessFile = ''] = files;
  if ((await promote(bad)).code !== 0) {
    return { ...facts, outcome: 'not promoted', found: '', missing: '', seconds: 0 };
  }
  const isDecoyed = (await promote(harmlessFile)).code === 0;
  const start = performance.now();
  const question = 'why do requests fail since the last deployment?';
  const { value } = await system.surety(['investigate', question], secondsMax);
  const seconds = Math.round((performance.now() - start) / 1_000);
  for (const file of isDecoyed ? [harmlessFile, bad] : [bad]) {
    writeFileSync(`${file}.back`, reversed(readFileSync(file, 'utf8')));
    await promote(`${file}.back`);
  }
  return { ...facts, ...judge(mutant, value), seconds };
}

type Answer = Readonly<Record<string, unknown>>;

const linesOff = 3;

/** Right: the file, and the changed line or the use of its value right after it. */
function judge(mutant: Mutant, value: Answer): Pick<Incident, 'outcome' | 'found' | 'missing'> {
  const cause = (value.cause ?? {}) as {
    place?: { file: string; line: number } | null;
    separation?: { predicate: string } | null;
    missing?: string | null;
  };
  const missing = cause.missing ?? JSON.stringify(value.fault ?? value.said ?? '');
  if (!cause.place) {
    const isSilent = missing.startsWith('a request that shows the symptom');
    return { outcome: isSilent ? 'no symptom' : 'unknown', found: '', missing };
  }
  const { file, line } = cause.place;
  const isRight = file === mutant.file && Math.abs(line - mutant.line) <= linesOff;
  const found = `${file}:${line} ${cause.separation?.predicate ?? ''}`;
  return { outcome: isRight ? 'right' : 'wrong', found, missing: '' };
}

/** Of a patch that changes files and makes or deletes none. */
export function reversed(patch: string): string {
  return patch
    .split('\n')
    .map((line) => {
      if (/^(?:---|\+\+\+|diff|index) ?/.test(line)) return line;
      const head = /^@@ -(\S+) \+(\S+) @@(.*)$/.exec(line);
      if (head) return `@@ -${head[2]} +${head[1]} @@${head[3]}`;
      if (line.startsWith('+')) return `-${line.slice(1)}`;
      return line.startsWith('-') ? `+${line.slice(1)}` : line;
    })
    .join('\n');
}

function formatTable(incidents: readonly Incident[]): string {
  const outcomes = ['right', 'wrong', 'unknown', 'no symptom', 'not promoted'] as const;
  const row = (name: string, own: readonly Incident[]) => [
    name,
    own.length,
    ...outcomes.map((outcome) => own.filter((one) => one.outcome === outcome).length),
  ];
  const kinds = [...Map.groupBy(incidents, ({ kind }) => kind)];
  return aligned([
    ['incidents', 'all', ...outcomes],
    row('all', incidents),
    ...kinds.map(([kind, own]) => row(kind, own)),
  ]).join('\n');
}
