import type { Json } from '../../kernel/index.ts';
import { asAnswered, type Hop, isStruck } from '../../lanes/index.ts';
import { type ComparisonStep, certaintyOf, type Difference } from './difference.ts';
import { findDrift } from './drift.ts';
import { findLostEchoes } from './echoes.ts';
import type { Drift } from './field-drift.ts';
import { hopName } from './hop-name.ts';
import type { Recordings } from './recording.ts';

type Part = 'request' | 'response';

/** Finds drift in what services send each other, field by field; one step for each hop. */
export function contractSteps({ baseline, control, candidate }: Recordings): ComparisonStep[] {
  const [first, second, now] = [baseline, control, candidate].map(({ hops }) =>
    Map.groupBy(hops.map(asAnswered), hopName),
  );
  return [...(now ?? [])].map(([name, hops]) => {
    const seen = { baseline: first?.get(name) ?? [], control: second?.get(name) ?? [], hops };
    return () => [requestDrift, answerDrift, refusalDrift, lostBody].flatMap((look) => look(seen));
  });
}

/** The calls of one name. */
interface Seen {
  readonly baseline: readonly Hop[];
  readonly control: readonly Hop[];
  /** Of the candidate. */
  readonly hops: readonly Hop[];
}

function requestDrift({ hops, ...known }: Seen): Difference[] {
  const bodies = (seen: readonly Hop[]): Json[] => kept(seen.map((hop) => hop.requestBody));
  return driftOf({ ...known, hops }, bodies).map((drift) =>
    toDifference(drift, hops[0] as Hop, 'request'),
  );
}

function answerDrift({ hops, ...known }: Seen): Difference[] {
  const drifts = driftOf({ ...known, hops }, (seen) => answersOf(seen.filter(isGood)));
  const lost = findLostEchoes({ ...known, candidate: hops });
  return firstOfEach([...drifts, ...lost]).map((drift) =>
    toDifference(drift, hops[0] as Hop, 'response'),
  );
}

/** Why something was refused, programs read as well. Each status has a shape of its own. */
function refusalDrift({ hops, ...known }: Seen): Difference[] {
  const refused = Map.groupBy(hops.filter(isRefusal), ({ status }) => status);
  return [...refused].flatMap(([status, some]) => {
    const bodies = (seen: readonly Hop[]): Json[] =>
      answersOf(seen.filter((hop) => isRefusal(hop) && hop.status === status));
    return driftOf({ ...known, hops: some }, bodies).map((drift) => ({
      ...toDifference(drift, some[0] as Hop, 'response'),
      which: String(status),
    }));
  });
}

/** What it answers has no shape any more: there is nothing. */
function lostBody({ baseline, control, hops }: Seen): Difference[] {
  const known = [...baseline, ...control].filter(isGood);
  const now = hops.filter(isGood);
  const [before, after] = [known[0], now[0]];
  const wasThere = known.every(({ responseBody }) => responseBody !== null);
  const isEmpty = now.every(({ responseBytes }) => responseBytes === 0);
  if (!before || !after || !wasThere || !isEmpty) return [];
  const drift = {
    field: '',
    what: 'body-missing',
    before: 'always there',
    after: 'always empty',
    examples: { before: before.responseBody, after: null },
    severity: 'fail' as const,
    confidence: certaintyOf(known.length),
  };
  return [toDifference(drift, after, 'response')];
}

function driftOf(
  { baseline, control, hops }: Seen,
  bodies: (seen: readonly Hop[]) => Json[],
): Drift[] {
  const sides = { baseline: bodies(baseline), control: bodies(control), candidate: bodies(hops) };
  return firstOfEach(findDrift(sides));
}

/** One thing that is wrong with a field explains the next. */
function firstOfEach(drifts: readonly Drift[]): Drift[] {
  const failing = (field: string): Drift | undefined =>
    drifts.find((one) => one.field === field && one.severity === 'fail');
  return drifts.filter((drift) => drift.severity === 'notice' || failing(drift.field) === drift);
}

function isGood({ status }: Hop): boolean {
  return status > 0 && status < 400;
}

/** Not what was made to go wrong on the way: those words are our own. */
function isRefusal(hop: Hop): boolean {
  return hop.status >= 400 && hop.status < 500 && !isStruck(hop);
}

function answersOf(hops: readonly Hop[]): Json[] {
  return kept(hops.map(({ responseBody }) => responseBody));
}

function kept(bodies: readonly Json[]): Json[] {
  return bodies.filter((body) => body !== null);
}

/** What is said wrongly is the doing of whoever says it. */
function toDifference({ field, ...drift }: Drift, hop: Hop, part: Part): Difference {
  const service = part === 'request' ? (hop.from ?? 'outside') : hop.to;
  const place = `${part} ${field || '(the body)'}`;
  return { class: 'contract', service, hop: hopName(hop), place, ...drift };
}
