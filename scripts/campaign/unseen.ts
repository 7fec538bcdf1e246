import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { say } from '../steps.ts';
import { changesFolder, type KnownChange, keyOf, readCorpus } from './corpus-changes.ts';
import { judgeBySurety, openBook } from './judge-changes.ts';
import { formatRound, resultsOf } from './round-table.ts';

const usage = `npm run campaign -- unseen [options]
  --from <folder>       list.yaml with faulty/*.patch and harmless/*.patch; more than once for more
                        authors; by default the first round of examples/trading/changes
  --system <folder>     the git repository of another system, with a surety.yaml
  --profile quick|full  for all changes; by default what each of them needs
  --json <file>         where verdicts are kept (.cache/unseen.json); what is there is not asked again
  --table               nothing is judged, only the table is printed`;

const options = {
  from: { type: 'string', multiple: true },
  system: { type: 'string' },
  profile: { type: 'string' },
  json: { type: 'string', default: '.cache/unseen.json' },
  table: { type: 'boolean', default: false },
} as const;

/**
 * A round of changes by authors who do not know how changes are judged, on an engine that does not
 * know the changes. What the table says then is the score; afterwards they are known cases.
 */
export async function unseenCampaign(words: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...words], options });
  const { profile, system } = values;
  if (profile !== undefined && profile !== 'quick' && profile !== 'full') {
    say(usage);
    return 2;
  }
  const folders = values.from ?? [`${changesFolder}/unseen`];
  const changes = folders.flatMap((folder) => Object.values(readCorpus(folder)).flat());
  const book = openBook(values.json);
  if (!values.table) {
    const open = inRandomOrder(changes).filter((one) => book.find(one)?.surety === undefined);
    await judgeBySurety(open, { book, profile, system });
  }
  const judged = changes.flatMap((change) => book.find(change) ?? []);
  say(`\n${formatRound(resultsOf(changes, judged))}`);
  return judged.length === changes.length ? 0 : 1;
}

/** Always the same order: a campaign that is ended early has judged a sample of all authors. */
function inRandomOrder(changes: readonly KnownChange[]): KnownChange[] {
  const place = (change: KnownChange): string =>
    createHash('sha256').update(keyOf(change)).digest('hex');
  return changes.toSorted((one, other) => place(one).localeCompare(place(other)));
}
