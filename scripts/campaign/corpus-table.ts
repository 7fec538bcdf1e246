import { type KnownChange, keyOf } from './corpus-changes.ts';
import type { TrafficSaid } from './corpus-traffic.ts';
import type { SuretySaid } from './corpus-verdict.ts';

/** Everything that was said about one change; what was not asked yet is not there. */
export interface Judged {
  readonly name: string;
  readonly author: string;
  /** Of the patch: another one has to be judged anew. */
  readonly digest: string;
  readonly surety?: SuretySaid;
  readonly isGreen?: boolean;
  /** Null where no lane could be opened, so that nobody could send anything. */
  readonly traffic?: TrafficSaid | null;
}

/** How a change that is faulty, or harmless, may come out of it. */
export type Outcome = 'right' | 'caught otherwise' | 'inconclusive' | 'passed' | 'failed';

/** The right service and class have to be in the first finding of a `fail`. */
export function outcomeOf(change: KnownChange, said: SuretySaid): Outcome {
  if (said.status === 'inconclusive') return 'inconclusive';
  if (change.kind === 'harmless') return said.status === 'pass' ? 'right' : 'failed';
  if (said.status === 'pass') return 'passed';
  // No verdict is none that anybody could act on.
  if (said.status === 'fault') return 'inconclusive';
  const { first } = said;
  const isNamed = first?.service === change.service && change.findings.includes(first.class);
  return isNamed ? 'right' : 'caught otherwise';
}

type Opinion = 'pass' | 'fail' | 'inconclusive';

interface OtherJudge {
  readonly name: string;
  opinion(judged: Judged): Opinion | null;
}

/** A change with which no lane opens is one that everybody sees. */
const otherJudges: readonly OtherJudge[] = [
  {
    name: 'unit tests with mocks',
    opinion: ({ isGreen }) => (isGreen === undefined ? null : isGreen ? 'pass' : 'fail'),
  },
  {
    name: 'suites alone on the lane',
    opinion: ({ surety }) => (surety ? ofSuites(surety) : null),
  },
  {
    name: 'p99 > 1.2 ×, errors > + 1 %',
    opinion: ({ traffic }) => ofTraffic(traffic, 'thresholds'),
  },
  { name: 'Mann–Whitney, as in Kayenta', opinion: ({ traffic }) => ofTraffic(traffic, 'kayenta') },
];

function ofSuites({ status, checksFailed, first }: SuretySaid): Opinion {
  const isRun = status !== 'fault' && first?.what !== 'not-started';
  return isRun && checksFailed === 0 ? 'pass' : 'fail';
}

function ofTraffic(
  traffic: TrafficSaid | null | undefined,
  judge: 'thresholds' | 'kayenta',
): Opinion | null {
  if (traffic === undefined) return null;
  return traffic === null ? 'fail' : traffic[judge];
}

export type Row = readonly (string | number)[];

/** All judges side by side, then what Surety did not get right. */
export function tableText(changes: readonly KnownChange[], judged: readonly Judged[]): string {
  const known = new Map(judged.map((one) => [keyOf(one), one]));
  const of = (kind: KnownChange['kind']) =>
    changes.flatMap((change) => {
      const one = known.get(keyOf(change));
      return change.kind === kind && one ? [{ change, judged: one }] : [];
    });
  const [faulty, harmless] = [of('faulty'), of('harmless')];
  const header = [
    'judge',
    'caught, named',
    'caught',
    'unsure',
    'passed',
    '|',
    'pass',
    'unsure',
    'fail',
  ];
  const rows = [
    suretyRow(faulty, harmless),
    ...otherJudges.map((judge) => otherRow(judge, faulty, harmless)),
  ];
  const missed = [...faulty, ...harmless].flatMap(missedLine);
  return [
    `${faulty.length} faulty changes, then ${harmless.length} harmless ones`,
    ...aligned([header, ...rows]),
    '',
    'Not right:',
    ...missed,
  ].join('\n');
}

interface Pair {
  readonly change: KnownChange;
  readonly judged: Judged;
}

function suretyRow(faulty: readonly Pair[], harmless: readonly Pair[]): Row {
  const count = (pairs: readonly Pair[], outcome: Outcome): number =>
    pairs.filter(
      ({ change, judged: { surety } }) => surety && outcomeOf(change, surety) === outcome,
    ).length;
  const named = count(faulty, 'right');
  const caught = named + count(faulty, 'caught otherwise');
  const unsure = count(faulty, 'inconclusive');
  const good = [
    count(harmless, 'right'),
    count(harmless, 'inconclusive'),
    count(harmless, 'failed'),
  ];
  return ['Surety', named, caught, unsure, count(faulty, 'passed'), '|', ...good];
}

/** None of the others names a service. */
function otherRow(judge: OtherJudge, faulty: readonly Pair[], harmless: readonly Pair[]): Row {
  const count = (pairs: readonly Pair[], opinion: Opinion): number =>
    pairs.filter(({ judged }) => judge.opinion(judged) === opinion).length;
  const bad = [count(faulty, 'fail'), count(faulty, 'inconclusive'), count(faulty, 'pass')];
  const good = [count(harmless, 'pass'), count(harmless, 'inconclusive'), count(harmless, 'fail')];
  return [judge.name, '–', ...bad, '|', ...good];
}

function missedLine({ change, judged: { surety } }: Pair): string[] {
  if (!surety) return [];
  const outcome = outcomeOf(change, surety);
  if (outcome === 'right') return [];
  const { first, reason } = surety;
  const told = first ? `first: ${first.class} ${first.what} by ${first.service}` : 'no finding';
  return [`  ${change.kind} ${change.name} (${change.class}): ${outcome}; ${told}; ${reason}`];
}

export function aligned(rows: readonly Row[]): string[] {
  const texts = rows.map((row) => row.map(String));
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.max(...texts.map((row) => (row[column] ?? '').length)),
  );
  return texts.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
}
