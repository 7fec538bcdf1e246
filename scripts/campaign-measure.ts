import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shareInterval } from '../src/verify/statistics/index.ts';
import { type CorpusSystem, startCorpusSystem } from './campaign-corpus-system.ts';
import { say } from './steps.ts';

const example = fileURLToPath(new URL('../examples/trading/', import.meta.url));
const burnt = 'services/pricing/routes.ts';
const place = 'handle: async ({ json, requestId }) => {\n';
const verdictSecondsMax = 900;

/**
 * `npm run campaign -- detect 100 50 quick`: so many verdicts on a version of pricing that needs so
 * many percent more CPU time for each quote, really burnt.
 */
export async function detectCampaign(words: readonly string[]): Promise<number> {
  const [count = '100', more = '50', profile = 'quick'] = words;
  return withSystem(async (system) => {
    const judge = async (burnUs: number): Promise<Judged> => {
      const file = burningPatch(burnUs);
      const asked = ['verify', file, '--profile', profile];
      const { value } = await system.surety(asked, verdictSecondsMax);
      rmSync(dirname(file), { recursive: true });
      return value as unknown as Judged;
    };
    const before = cpuOf(await judge(0));
    const burnUs = Math.round((before * Number(more)) / 100);
    say(`A quote takes ${before.toFixed(0)} µs; ${burnUs} µs more are burnt in each.`);
    let [found, done] = [0, 0];
    for (; done < Number(count); done++) {
      const judged = await judge(burnUs);
      const isFound = judged.findings.some(({ what, service }) => `${service} ${what}` === wanted);
      if (isFound) found++;
      else say(`${judged.verdict}: ${JSON.stringify(judged.signals.find(isCpu))}`);
    }
    const { low } = shareInterval(found, done);
    say(
      `+${more} % CPU time found in ${found} of ${done} verdicts, at least ${percent(low)} (95 %).`,
    );
    return found === done ? 0 : 1;
  });
}

const wanted = 'pricing cpu-us';

interface Judged {
  readonly verdict: string;
  readonly findings: readonly { readonly what?: string; readonly service?: string }[];
  readonly signals: readonly Signal[];
}

interface Signal {
  readonly service: string;
  readonly signal: string;
  readonly before: number;
}

function isCpu({ service, signal }: Signal): boolean {
  return `${service} ${signal}` === wanted;
}

function cpuOf({ signals }: Judged): number {
  return signals.find(isCpu)?.before ?? 1_000;
}

export async function withSystem<Result>(
  work: (system: CorpusSystem) => Promise<Result>,
): Promise<Result> {
  const system = await startCorpusSystem();
  try {
    return await work(system);
  } finally {
    await system.stop();
  }
}

/** Time on the CPU, not on the clock: on a busy machine a process waits for most of that. */
function burningPatch(burnUs: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'surety-burn-'));
  const text = readFileSync(join(example, burnt), 'utf8');
  const burn = `const used = () => process.cpuUsage().user + process.cpuUsage().system;
        for (const end = used() + ${burnUs}; used() < end; );\n        `;
  if (!text.includes(place)) throw new Error(`${burnt} is not what this campaign expects`);
  const after = burnUs === 0 ? `// Nothing is burnt.\n${text}` : text.replace(place, place + burn);
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
