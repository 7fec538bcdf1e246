import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connectDaemon } from '../../src/cli/daemon-client.ts';
import { findPlace } from '../../src/runtime/place.ts';
import { seeded } from '../../tests/harness/seeded.ts';
import { say } from '../steps.ts';
import { readCorpus } from './corpus-changes.ts';
import { type CorpusSystem, startCorpusSystem } from './corpus-system.ts';
import { aligned } from './corpus-table.ts';
import { reversed } from './incidents.ts';
import { startAgain, whenEnded } from './judge-changes.ts';

const options = { json: { type: 'string', default: '.cache/condition-incidents.json' } } as const;
const secondsMax = 300;

/** What goes wrong, without a change of the code, and what a right answer names. */
interface Mechanism {
  readonly name: 'wrong value' | 'keeps crashing' | 'paused';
  readonly service: string;
  readonly variable: string;
}

const values: readonly (readonly [string, string])[] = [
  ['pricing', 'VALIDATION_URL'],
  ['orders', 'PRICING_URL'],
  ['orders', 'PAYMENTS_URL'],
  ['edge', 'ORDERS_URL'],
];
const below = ['validation', 'pricing', 'payments', 'orders'];

const catalogue: readonly Mechanism[] = [
  ...values.map(([service, variable]) => ({ name: 'wrong value' as const, service, variable })),
  ...below.map((service) => ({ name: 'keeps crashing' as const, service, variable: '' })),
  // Outside of what can be confirmed: the right answer is `unknown`.
  ...below.map((service) => ({ name: 'paused' as const, service, variable: '' })),
];

interface Outcome {
  readonly incident: string;
  readonly mechanism: Mechanism['name'];
  readonly outcome: 'right' | 'wrong' | 'unknown' | 'no symptom' | 'no answer';
  readonly found: string;
  readonly seconds: number;
}

/**
 * `npm run campaign -- conditions 12 1`: incidents of the demo that no change of the code causes,
 * each with a harmless promotion before it. A wrong confirmation ends with 1. It can be resumed.
 */
export async function conditionsCampaign(words: readonly string[]): Promise<number> {
  const { values: flags, positionals } = parseArgs({
    args: [...words],
    options,
    allowPositionals: true,
  });
  const [count = 12, seed = 1] = positionals.map(Number);
  const random = seeded(seed);
  const order = catalogue
    .map((mechanism) => ({ mechanism, at: random() }))
    .toSorted((left, right) => left.at - right.at);
  const drawn = order.slice(0, count).map(({ mechanism }) => mechanism);
  const known = readKnown(flags.json);
  const open = drawn.filter((one) => !known.has(nameOf(one)));
  if (open.length > 0) await runAll(open, known, flags.json);
  const outcomes = drawn.flatMap((one) => known.get(nameOf(one)) ?? []);
  say(`\n${formatTable(outcomes)}`);
  return outcomes.some(({ outcome }) => outcome === 'wrong') ? 1 : 0;
}

const nameOf = ({ name, service, variable }: Mechanism): string =>
  `${name}: ${service}${variable === '' ? '' : ` ${variable}`}`;

function readKnown(file: string): Map<string, Outcome> {
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Outcome[]) : [];
  return new Map(kept.map((outcome) => [outcome.incident, outcome]));
}

async function runAll(
  drawn: readonly Mechanism[],
  known: Map<string, Outcome>,
  file: string,
): Promise<void> {
  const isEnding = whenEnded();
  const system = await startAgain(() => startCorpusSystem(undefined, 'surety-core.yaml'));
  try {
    await promoteDecoy(system);
    for (const mechanism of drawn) {
      if (isEnding()) break;
      const outcome = await runOne(mechanism, system);
      known.set(outcome.incident, outcome);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${JSON.stringify([...known.values()], null, 1)}\n`);
      say(`${outcome.incident}: ${outcome.outcome} ${outcome.found} (${outcome.seconds} s)`);
    }
  } finally {
    await system.stop();
  }
}

/** Newer than everything else but a changed value, which is promoted itself. */
async function promoteDecoy(system: CorpusSystem): Promise<void> {
  const decoy = readCorpus().harmless.find(({ name }) => name === 'rule-named');
  if (!decoy) throw new Error('the decoy is gone');
  await promote(system, system.patchFile(decoy));
}

async function promote(system: CorpusSystem, file: string): Promise<void> {
  const reason = 'an ordinary change';
  const { code, value } = await system.surety(['promote', file, '--reason', reason], secondsMax);
  if (code !== 0) throw new Error(`not promoted: ${JSON.stringify(value)}`);
}

async function runOne(mechanism: Mechanism, system: CorpusSystem): Promise<Outcome> {
  const end = await begin(mechanism, system);
  const start = performance.now();
  try {
    const question = 'why do requests fail since the last deployment?';
    const { value } = await system.surety(['investigate', question], secondsMax);
    const seconds = Math.round((performance.now() - start) / 1_000);
    const incident = nameOf(mechanism);
    return { incident, mechanism: mechanism.name, ...judge(mechanism, value), seconds };
  } finally {
    await end();
  }
}

type End = () => Promise<void>;

function begin(mechanism: Mechanism, system: CorpusSystem): Promise<End> {
  if (mechanism.name === 'wrong value') return setWrong(mechanism, system);
  return mechanism.name === 'paused'
    ? pause(mechanism.service, system)
    : keepKilling(mechanism.service, system);
}

/** The address of another service of the system, which answers 404. */
async function setWrong({ service, variable }: Mechanism, system: CorpusSystem): Promise<End> {
  const lines = readFileSync(join(system.directory, 'surety.yaml'), 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes(`${variable}: http`));
  const other = service === 'orders' ? 'validation' : 'payments';
  const text = lines.join('\n');
  const port = new RegExp(`^  ${other}:[\\s\\S]*?port: (\\d+)`, 'm').exec(text)?.[1];
  const old = lines[at] ?? '';
  const patch = [
    'diff --git a/surety.yaml b/surety.yaml',
    '--- a/surety.yaml',
    '+++ b/surety.yaml',
    `@@ -${at},3 +${at},3 @@`,
    ` ${lines[at - 1]}`,
    `-${old}`,
    `+${old.replace(/:\d+\s*$/, `:${port}`)}`,
    ` ${lines[at + 1]}`,
    '',
  ].join('\n');
  const file = join(system.directory, '.surety', 'wrong-value.patch');
  writeFileSync(file, patch);
  await promote(system, file);
  return async () => {
    writeFileSync(`${file}.back`, reversed(patch));
    await promote(system, `${file}.back`);
  };
}

async function pidOf(service: string, system: CorpusSystem): Promise<number | null> {
  const client = connectDaemon(findPlace(system.directory, '.'));
  const { services } = await client.call('GET /v1/system', {});
  return services.find((one) => one.service === service)?.pid ?? null;
}

async function pause(service: string, system: CorpusSystem): Promise<End> {
  const pid = (await pidOf(service, system)) ?? 0;
  process.kill(pid, 'SIGSTOP');
  return async () => void process.kill(pid, 'SIGCONT');
}

/** Kills the service as often as it is started again. */
async function keepKilling(service: string, system: CorpusSystem): Promise<End> {
  let isOver = false;
  const killing = (async () => {
    while (!isOver) {
      const pid = await pidOf(service, system).catch(() => null);
      if (pid !== null) kill(pid);
      await delay(20);
    }
  })();
  return async () => {
    isOver = true;
    await killing;
    await system.surety(['system', 'up'], secondsMax);
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

function judge(
  { name, service, variable }: Mechanism,
  value: Readonly<Record<string, unknown>>,
): Pick<Outcome, 'outcome' | 'found'> {
  const cause = (value.cause ?? {}) as {
    confirmed?: boolean;
    place?: { file: string; line: number } | null;
    condition?: { class: string; service: string; variable: string; statement: string } | null;
    missing?: string | null;
  };
  // A command that was ended, or a fault, is no `unknown` of an investigation.
  if (cause.confirmed === undefined) {
    return { outcome: 'no answer', found: JSON.stringify(value.fault ?? 'it was ended') };
  }
  if (!cause.confirmed) {
    const found = cause.missing ?? '';
    if (found.startsWith('a request that shows')) return { outcome: 'no symptom', found };
    return { outcome: name === 'paused' ? 'right' : 'unknown', found };
  }
  const { condition, place } = cause;
  const found = condition?.statement ?? `${place?.file}:${place?.line}`;
  const isRight =
    name !== 'paused' && condition?.service === service && condition.variable === variable;
  return { outcome: isRight ? 'right' : 'wrong', found };
}

function formatTable(all: readonly Outcome[]): string {
  const outcomes = ['right', 'wrong', 'unknown', 'no symptom', 'no answer'] as const;
  const row = (name: string, own: readonly Outcome[]) => [
    name,
    own.length,
    ...outcomes.map((outcome) => own.filter((one) => one.outcome === outcome).length),
  ];
  const kinds = [...Map.groupBy(all, ({ mechanism }) => mechanism)];
  return aligned([
    ['incidents', 'all', ...outcomes],
    row('all', all),
    ...kinds.map(([kind, own]) => row(kind, own)),
  ]).join('\n');
}
