import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shareInterval } from '../../src/kernel/index.ts';
import { say } from '../steps.ts';
import { untilEnded } from '../until-ended.ts';
import { type CorpusSystem, startCorpusSystem } from './corpus-system.ts';

const example = fileURLToPath(new URL('../../examples/trading/', import.meta.url));
const burnt = 'services/pricing/routes.ts';
const place = 'handle: async ({ json, requestId }) => {\n';
const verdictSecondsMax = 900;

/** One that leads to quotes, and is short: what is to be seen is measured, not said by suites. */
const suite = 'trade-flow';

/**
 * `npm run campaign -- detect 100 50 quick [file]`: so many verdicts on a version of pricing that
 * needs so many percent more CPU time for each quote, really burnt. They go into the file as they
 * are reached; begun again with the same file, only those that are missing are run.
 */
export async function detectCampaign(words: readonly string[]): Promise<number> {
  const [count = '100', more = '50', profile = 'quick', file] = words;
  const judged = file && existsSync(file) ? readLines<Judged>(file) : [];
  await withSystem(async (system) => {
    const judge = async (burnUs: number): Promise<Judged> => {
      const patch = burningPatch(burnUs, judged.length);
      const asked = ['verify', patch, '--profile', profile, '--suite', suite];
      const { value } = await system.surety(asked, verdictSecondsMax);
      rmSync(dirname(patch), { recursive: true });
      const one = seenIn(value as unknown as Told, burnUs);
      if (one.cpu === null) throw new Error(`nothing was measured: ${JSON.stringify(value)}`);
      return one;
    };
    const { before } = judged[0]?.cpu ?? (await judge(0)).cpu ?? { before: 0 };
    const burnUs = Math.round((before * Number(more)) / 100);
    say(`A quote takes ${before.toFixed(0)} µs; ${burnUs} µs more are burnt in each.`);
    while (judged.length < Number(count)) {
      const one = await judge(burnUs);
      judged.push(one);
      if (file) appendFileSync(file, `${JSON.stringify(one)}\n`);
      if (!one.isFound) say(`not found: ${JSON.stringify(one)}`);
      if (judged.length % 10 === 0) say(`${foundOf(judged)} of ${judged.length} found …`);
    }
  });
  return tellFound(judged, more);
}

function tellFound(judged: readonly Judged[], more: string): number {
  const [found, all] = [foundOf(judged), judged.length];
  const { low } = shareInterval(found, all);
  const pairs = judged.flatMap(({ cpu }) => (cpu ? [cpu.pairs] : [])).toSorted((a, b) => a - b);
  say(`+${more} % CPU time found in ${found} of ${all} verdicts, at least ${percent(low)} (95 %).`);
  const failed = judged.filter(({ verdict }) => verdict === 'fail').length;
  say(`${failed} failed, by that or by what else it leads to, such as latency.`);
  say(`Pairs that went into it: ${pairs[0]} to ${pairs.at(-1)}, median ${pairs[all >> 1]}.`);
  return found === all ? 0 : 1;
}

function foundOf(judged: readonly Judged[]): number {
  return judged.filter(({ isFound }) => isFound).length;
}

const wanted = 'pricing cpu-us';

interface Told {
  readonly verdict: string;
  readonly reason: string;
  readonly findings?: readonly { readonly what?: string; readonly service?: string }[];
  readonly signals?: readonly Signal[];
}

interface Signal {
  readonly service: string;
  readonly signal: string;
  readonly before: number;
  readonly ratio: number | null;
  readonly pairs: number;
  readonly starts: number;
}

interface Judged {
  readonly verdict: string;
  readonly reason: string;
  /** By the CPU time of that service. */
  readonly isFound: boolean;
  /** What it failed by, whatever that is. */
  readonly found: readonly string[];
  readonly burnUs: number;
  readonly cpu: Signal | null;
}

function seenIn({ verdict, reason, findings = [], signals = [] }: Told, burnUs: number): Judged {
  const found = findings.map(({ what, service }) => `${service} ${what}`);
  const isFound = found.includes(wanted);
  const cpu = signals.find(({ service, signal }) => `${service} ${signal}` === wanted) ?? null;
  return { verdict, reason, isFound, found, burnUs, cpu };
}

export function readLines<Line>(file: string): Line[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line);
}

export function withSystem<Result>(
  work: (system: CorpusSystem) => Promise<Result>,
): Promise<Result> {
  return untilEnded(startCorpusSystem, work);
}

/**
 * Time on the CPU, not on the clock: on a busy machine a process waits for most of that. Each is
 * another change by its number: one that failed before would be judged in full.
 */
function burningPatch(burnUs: number, number: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'surety-burn-'));
  const text = readFileSync(join(example, burnt), 'utf8');
  const burn = `const used = () => process.cpuUsage().user + process.cpuUsage().system;
        for (const end = used() + ${burnUs}; used() < end; );\n        `;
  if (!text.includes(place)) throw new Error(`${burnt} is not what this campaign expects`);
  const after = `// ${number}\n${burnUs === 0 ? text : text.replace(place, place + burn)}`;
  for (const [side, content] of [
    ['a', text],
    ['b', after],
  ] as const) {
    mkdirSync(dirname(join(directory, side, burnt)), { recursive: true });
    writeFileSync(join(directory, side, burnt), content);
  }
  const file = join(directory, 'burn.patch');
  writeFileSync(file, differenceOf(directory));
  return file;
}

/** Git ends with 1 where there is a difference. */
function differenceOf(directory: string): string {
  const command = 'git diff --no-index --no-prefix a b || true';
  return execFileSync('/bin/sh', ['-c', command], { cwd: directory, encoding: 'utf8' });
}

export function percent(share = Number.NaN): string {
  return `${(share * 100).toFixed(1)} %`;
}
