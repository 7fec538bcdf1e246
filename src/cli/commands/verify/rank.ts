import { basename, dirname, join, relative, resolve } from 'node:path';
import {
  findCases,
  type Ranking,
  type RankScores,
  rankServices,
  readCase,
  scoreCases,
} from '../../../investigate/rank/index.ts';
import { fault } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import type { Output } from '../../format/output.ts';
import { tableLines } from '../../format/table-lines.ts';

interface RankedCase {
  readonly case: string;
  readonly cause: string | null;
  /** The place of the cause in the ranking, from 1. */
  readonly place: number | null;
  readonly ranking: Ranking;
}

const servicesShown = 5;

export const run: RunCommand = async ({ output, words: [directory] }) => {
  if (directory === undefined) {
    throw fault('USAGE', { reason: 'Name a directory.', help: 'surety rank --help' });
  }
  const ranked: RankedCase[] = [];
  const cases = findCases(resolve(directory));
  for (const [index, path] of cases.entries()) {
    output.progress(`${index + 1} of ${cases.length}: ${path}`);
    ranked.push(await rankOne(path, resolve(directory)));
  }
  const scores = scoresOf(ranked);
  output.value({ scores, cases: ranked });
  if (ranked.length === 1 && ranked[0]) printRanking(ranked[0], output);
  else printCases(ranked, output);
  if (scores) printScores(scores, output);
  return undefined;
};

async function rankOne(path: string, top: string): Promise<RankedCase> {
  const { cause, input } = await readCase(path);
  const ranking = rankServices(input);
  const index = ranking.services.findIndex(({ service }) => service === cause);
  const name = relative(top, path) || join(basename(dirname(path)), basename(path));
  return { case: name, cause, place: index < 0 ? null : index + 1, ranking };
}

/** Over the cases whose cause is labelled. */
function scoresOf(ranked: readonly RankedCase[]): RankScores | null {
  const labelled = ranked.filter(({ cause }) => cause !== null);
  return labelled.length === 0 ? null : scoreCases(labelled.map(({ place }) => place));
}

function printRanking({ ranking, cause }: RankedCase, output: Output): void {
  const { onset, services } = ranking;
  if (onset === null) {
    output.line('Nothing changed: no series has a clear change-point.');
    return;
  }
  output.line(`since ${new Date(onset * 1_000).toISOString()}`);
  const rows = services.slice(0, servicesShown).map(({ service, score, shifts, explainedBy }) => ({
    score: score.toFixed(2),
    service,
    moved: shifts
      .slice(0, 2)
      .filter((shift) => shift.score > 0)
      .map(({ metric, from, to }) => `${metric} ${round(from)} → ${round(to)}`)
      .join(', '),
    'explained by': explainedBy.join(', '),
  }));
  for (const line of tableLines(['score', 'service', 'moved', 'explained by'], rows)) {
    output.line(`  ${line}`);
  }
  if (cause !== null) output.line(`labelled cause: ${cause}`);
}

const round = (value: number): number => Number(value.toPrecision(4));

function printCases(ranked: readonly RankedCase[], output: Output): void {
  const rows = ranked.map(({ ranking, place, cause, ...rest }) => ({
    ...rest,
    cause: cause ?? 'unknown',
    place: place ?? 'none',
    first: ranking.services[0]?.service ?? 'none',
  }));
  for (const line of tableLines(['case', 'cause', 'place', 'first'], rows)) output.line(line);
}

function printScores({ cases, top1, top3, average5 }: RankScores, output: Output): void {
  const [first, third] = [top1, top3].map((share) => `${(100 * share).toFixed(1)} %`);
  output.line(`Top-1 ${first}  Top-3 ${third}  Avg@5 ${average5.toFixed(3)}  (${cases} labelled)`);
}
