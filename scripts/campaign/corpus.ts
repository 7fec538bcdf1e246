import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { say } from '../steps.ts';
import { type KnownChange, patchText, readCorpus } from './corpus-changes.ts';
import { type CorpusSystem, startCorpusSystem } from './corpus-system.ts';
import { type Judged, outcomeOf, tableText } from './corpus-table.ts';
import { judgeTraffic } from './corpus-traffic.ts';
import { openUnitTests } from './corpus-units.ts';
import { askSurety } from './corpus-verdict.ts';

const usage = `npm run campaign -- corpus [units] [names …] [options]
  units                 only the example's unit tests, on each change
  --list <name>         the changes of examples/trading/changes/<name>.yaml (corpus)
  --profile quick|full  for all changes; by default what each of them needs
  --judge <name>        surety, units or traffic; by default all three
  --json <file>         where answers are kept (.cache/corpus.json); what is there is not asked again
  --table               nothing is asked, only told what is there`;

const judges = ['surety', 'units', 'traffic'] as const;
type JudgeName = (typeof judges)[number];

/** Every change of the corpus before every judge, one lane at a time; a table of who said what. */
export async function corpusCampaign(words: readonly string[]): Promise<number> {
  const wishes = readWishes(words);
  if (!wishes) {
    say(usage);
    return 2;
  }
  const { changes, file } = wishes;
  const book = openBook(file);
  if (wishes.asks) await askAll(wishes, book);
  const judged = changes.flatMap((change) => book.find(change) ?? []);
  say(`\n${tableText(changes, judged)}`);
  return judged.every(({ isGreen }) => isGreen !== false) ? 0 : 1;
}

interface Wishes {
  readonly changes: readonly KnownChange[];
  readonly judges: readonly JudgeName[];
  readonly profile: 'quick' | 'full' | undefined;
  readonly file: string;
  readonly asks: boolean;
}

const options = {
  list: { type: 'string', default: 'corpus' },
  profile: { type: 'string' },
  judge: { type: 'string' },
  json: { type: 'string', default: '.cache/corpus.json' },
  table: { type: 'boolean', default: false },
} as const;

function readWishes(words: readonly string[]): Wishes | null {
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  const isUnits = positionals[0] === 'units';
  const names = isUnits ? positionals.slice(1) : positionals;
  const { faulty, harmless } = readCorpus(values.list);
  const all = [...faulty, ...harmless];
  const changes = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  const { profile, judge } = values;
  const asked = isUnits ? ['units' as const] : judges.filter((one) => !judge || one === judge);
  const isKnown = profile === undefined || profile === 'quick' || profile === 'full';
  if (!isKnown || asked.length === 0 || changes.length < names.length) return null;
  return { changes, judges: asked, profile, file: values.json, asks: !values.table };
}

interface Book {
  find(change: KnownChange): Judged | undefined;
  add(change: KnownChange, said: Partial<Judged>): void;
}

/** Written after every answer, so that a campaign can be ended and goes on where it was. */
function openBook(file: string): Book {
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Judged[]) : [];
  const book = new Map(kept.map((judged) => [judged.name, judged]));
  const find = (change: KnownChange): Judged | undefined => {
    const judged = book.get(change.name);
    return judged?.digest === digestOf(change) ? judged : undefined;
  };
  return {
    find,
    add(change, said) {
      const digest = digestOf(change);
      book.set(change.name, { ...find(change), ...said, name: change.name, digest });
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${JSON.stringify([...book.values()], null, 1)}\n`);
    },
  };
}

function digestOf(change: KnownChange): string {
  return createHash('sha256').update(patchText(change)).digest('hex').slice(0, 16);
}

/** Judge by judge: what Surety says is what one waits for. */
async function askAll(wishes: Wishes, book: Book): Promise<void> {
  const { changes, judges: asked, profile } = wishes;
  const open = (is: (judged: Judged) => boolean) =>
    changes.filter((change) => !is(book.find(change) ?? { name: '', digest: '' }));
  if (asked.includes('units'))
    await askUnits(
      open(({ isGreen }) => isGreen !== undefined),
      book,
    );
  const toVerify = asked.includes('surety') ? open(({ surety }) => surety !== undefined) : [];
  const toSend = asked.includes('traffic') ? open(({ traffic }) => traffic !== undefined) : [];
  await withSystem(toVerify, async (system, change) => {
    const surety = await askSurety(system, change, profile ?? change.profile);
    book.add(change, { surety });
    const { status, seconds, first, reason } = surety;
    const told = first ? `${first.class} ${first.what} by ${first.service}` : reason;
    say(
      `${change.kind} ${change.name}: ${outcomeOf(change, surety)} (${status}, ${seconds} s; ${told})`,
    );
  });
  await withSystem(toSend, async (system, change) => {
    try {
      const traffic = await judgeTraffic(system, change);
      book.add(change, { traffic });
      say(`${change.kind} ${change.name}: traffic ${JSON.stringify(traffic)}`);
    } catch (error) {
      // Not kept: it is asked again next time.
      say(`${change.kind} ${change.name}: ${(error as Error).message}`);
    }
  });
}

async function askUnits(changes: readonly KnownChange[], book: Book): Promise<void> {
  const units = await openUnitTests();
  try {
    for (const change of changes) {
      const { isGreen, output } = await units.run(change);
      book.add(change, { isGreen });
      say(`${isGreen ? '✓' : '✗'} ${change.name}`);
      if (!isGreen) say(output);
    }
  } finally {
    await units.close();
  }
}

/** A fresh system after so many changes: what one of them left behind must not judge the next. */
const changesPerSystem = 20;

async function withSystem(
  changes: readonly KnownChange[],
  ask: (system: CorpusSystem, change: KnownChange) => Promise<void>,
): Promise<void> {
  const isEnding = whenEnded();
  for (let at = 0; at < changes.length && !isEnding(); at += changesPerSystem) {
    const system = await startAgain(startCorpusSystem);
    try {
      for (const change of changes.slice(at, at + changesPerSystem)) {
        if (!isEnding()) await ask(system, change);
      }
    } finally {
      await system.stop();
    }
  }
}

const startsMax = 3;

/** Somebody else may have taken a port between its choice and its use. */
async function startAgain(start: () => Promise<CorpusSystem>): Promise<CorpusSystem> {
  for (let attempt = 1; attempt < startsMax; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      say(`the system did not start, once more: ${(error as Error).message}`);
    }
  }
  return start();
}

/** Ended by hand, it still finishes what it is at and takes its system down. */
function whenEnded(): () => boolean {
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      isEnding = true;
    });
  }
  return () => isEnding;
}
