import { type KnownChange, keyOf } from './corpus-changes.ts';
import { aligned, type Judged, outcomeOf, type Row } from './corpus-table.ts';
import type { SuretySaid } from './corpus-verdict.ts';

/** How one change of a round came out. */
export interface RoundResult {
  readonly change: KnownChange;
  readonly said: SuretySaid;
}

/** Why a change is no part of the score; null for one that is. */
export function setAsideBecause({ change, said }: RoundResult): string | null {
  if (said.status === 'fault') return said.reason;
  const isMeant = change.findings.includes('start');
  return said.first?.class === 'start' && !isMeant ? 'does not start' : null;
}

/** A pass that says which changed lines no request ran, or that nothing told them apart. */
export function namesAllLines({ notices }: Pick<SuretySaid, 'notices'>): boolean {
  return notices.some((notice) => /run by no request|tells this change from/.test(notice));
}

/** A pass that names changed lines which no request ran is `inconclusive` for an agent. */
function namesLines({ said }: RoundResult): boolean {
  return said.coverage === 'partial';
}

export function resultsOf(
  changes: readonly KnownChange[],
  judged: readonly Judged[],
): RoundResult[] {
  const known = new Map(judged.map((one) => [keyOf(one), one.surety]));
  return changes.flatMap((change) => {
    const said = known.get(keyOf(change));
    return said ? [{ change, said }] : [];
  });
}

const header = [
  '',
  'faulty',
  'fail',
  'first right',
  'inconclusive',
  'pass, lines named',
  'pass',
  '|',
  'harmless',
  'pass',
  'pass, lines named',
  'inconclusive',
  'fail',
];

/** Totals by author and by class, then every change that did not come out as it should. */
export function formatRound(results: readonly RoundResult[]): string {
  const aside = results.filter((one) => setAsideBecause(one) !== null);
  const scored = results.filter((one) => setAsideBecause(one) === null);
  const by = (group: (change: KnownChange) => string): Row[] =>
    [...Map.groupBy(scored, ({ change }) => group(change))]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, own]) => rowOf(name, own));
  return [
    ...aligned([
      header,
      rowOf('all', scored),
      ...by(({ author }) => author),
      ...by((change) => change.class),
    ]),
    '',
    `Set aside: ${aside.length}`,
    ...aside.map((one) => `  ${named(one)}: ${setAsideBecause(one)}`),
    'Not as it should be:',
    ...scored.flatMap(wrongLine),
  ].join('\n');
}

function rowOf(name: string, results: readonly RoundResult[]): Row {
  const faulty = results.filter(({ change }) => change.kind === 'faulty');
  const harmless = results.filter(({ change }) => change.kind === 'harmless');
  const count = (
    of: readonly RoundResult[],
    status: SuretySaid['status'],
    is: (one: RoundResult) => boolean = () => true,
  ): number => of.filter((one) => one.said.status === status && is(one)).length;
  const isRight = ({ change, said }: RoundResult): boolean => outcomeOf(change, said) === 'right';
  const isSilent = (one: RoundResult): boolean => !namesLines(one);
  return [
    name,
    faulty.length,
    count(faulty, 'fail'),
    count(faulty, 'fail', isRight),
    count(faulty, 'inconclusive'),
    count(faulty, 'pass', namesLines),
    count(faulty, 'pass', isSilent),
    '|',
    harmless.length,
    count(harmless, 'pass', isSilent),
    count(harmless, 'pass', namesLines),
    count(harmless, 'inconclusive'),
    count(harmless, 'fail'),
  ];
}

function named({ change }: RoundResult): string {
  return `${change.kind} ${keyOf(change)} (${change.class}, ${change.service})`;
}

function wrongLine(one: RoundResult): string[] {
  const outcome = outcomeOf(one.change, one.said);
  if (outcome === 'right') return [];
  const { first, reason } = one.said;
  const told = first ? `first: ${first.class} ${first.what} by ${first.service}; ` : '';
  return [`  ${named(one)}: ${outcome}; ${told}${reason}`];
}
