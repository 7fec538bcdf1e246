import { parseArgs } from 'node:util';
import { say } from '../steps.ts';
import { type KnownChange, readCorpus } from './corpus-changes.ts';
import { type Judged, tableText } from './corpus-table.ts';
import { judgeTraffic } from './corpus-traffic.ts';
import { openUnitTests } from './corpus-units.ts';
import { type JudgedBook, judgeBySurety, openBook, withSystem } from './judge-changes.ts';

const usage = `npm run campaign -- corpus [units] [names …] [options]
  units                 only the example's unit tests, on each change
  --from <folder>       the changes of a folder with list.yaml; by default the corpus
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
  from: { type: 'string' },
  profile: { type: 'string' },
  judge: { type: 'string' },
  json: { type: 'string', default: '.cache/corpus.json' },
  table: { type: 'boolean', default: false },
} as const;

function readWishes(words: readonly string[]): Wishes | null {
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  const isUnits = positionals[0] === 'units';
  const names = isUnits ? positionals.slice(1) : positionals;
  const { faulty, harmless } = readCorpus(values.from);
  const all = [...faulty, ...harmless];
  const changes = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  const { profile, judge } = values;
  const asked = isUnits ? ['units' as const] : judges.filter((one) => !judge || one === judge);
  const isKnown = profile === undefined || profile === 'quick' || profile === 'full';
  if (!isKnown || asked.length === 0 || changes.length < names.length) return null;
  return { changes, judges: asked, profile, file: values.json, asks: !values.table };
}

/** Judge by judge: what Surety says is what one waits for. */
async function askAll(wishes: Wishes, book: JudgedBook): Promise<void> {
  const { changes, judges: asked, profile } = wishes;
  const open = (is: (judged: Partial<Judged>) => boolean) =>
    changes.filter((change) => !is(book.find(change) ?? {}));
  if (asked.includes('units'))
    await askUnits(
      open(({ isGreen }) => isGreen !== undefined),
      book,
    );
  const toVerify = asked.includes('surety') ? open(({ surety }) => surety !== undefined) : [];
  const toSend = asked.includes('traffic') ? open(({ traffic }) => traffic !== undefined) : [];
  await judgeBySurety(toVerify, { book, profile });
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

async function askUnits(changes: readonly KnownChange[], book: JudgedBook): Promise<void> {
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
