import type { Json } from '../../kernel/index.ts';
import { asAnswered, type Hop, isStruck } from '../../lanes/index.ts';
import { type ComparisonStep, certaintyOf, type Difference } from './difference.ts';
import { findDrift } from './drift.ts';
import type { Drift } from './field-drift.ts';
import { textsIn } from './field-facts.ts';
import { hopName } from './hop-name.ts';
import type { VersionRecordings } from './recording.ts';
import { findShiftedTimes } from './shifted-times.ts';

type Part = 'request' | 'response';

/** Finds drift in what services send each other, field by field; one step for each hop. */
export function contractSteps({
  baseline,
  control,
  candidate,
}: VersionRecordings): ComparisonStep[] {
  const [first, second, now] = [baseline, control, candidate].map(({ hops }) =>
    Map.groupBy(hops.map(asAnswered), hopName),
  );
  return [...(now ?? [])].map(([name, hops]) => {
    const calls = { baseline: first?.get(name) ?? [], control: second?.get(name) ?? [], hops };
    return () => [requestDrift, answerDrift, refusalDrift, lostBody].flatMap((find) => find(calls));
  });
}

/** The calls of one hop name. */
interface HopCalls {
  readonly baseline: readonly Hop[];
  readonly control: readonly Hop[];
  /** Of the candidate. */
  readonly hops: readonly Hop[];
}

function requestDrift({ hops, ...known }: HopCalls): Difference[] {
  const bodies = (some: readonly Hop[]): Json[] => present(some.map((hop) => hop.requestBody));
  const drifts = driftOf({ ...known, hops }, bodies);
  const shifted = findShiftedTimes({ ...known, candidate: hops }, (hop) => hop.requestBody);
  return firstOfEach([...drifts, ...shifted]).map((drift) =>
    toDifference(drift, hops[0] as Hop, 'request'),
  );
}

function answerDrift({ hops, ...known }: HopCalls): Difference[] {
  const drifts = driftOf({ ...known, hops }, (some) => answersOf(some.filter(isGood)));
  const lost = findLostEchoes({ ...known, candidate: hops });
  const shifted = findShiftedTimes({ ...known, candidate: hops }, (hop) =>
    isGood(hop) ? hop.responseBody : null,
  );
  return firstOfEach([...drifts, ...lost, ...shifted]).map((drift) =>
    toDifference(drift, hops[0] as Hop, 'response'),
  );
}

/** Programs also read why a request was refused. Each status has its own shape. */
function refusalDrift({ hops, ...known }: HopCalls): Difference[] {
  const refused = Map.groupBy(hops.filter(isRefusal), ({ status }) => status);
  return [...refused].flatMap(([status, some]) => {
    const bodies = (all: readonly Hop[]): Json[] =>
      answersOf(all.filter((hop) => isRefusal(hop) && hop.status === status));
    return driftOf({ ...known, hops: some }, bodies).map((drift) => ({
      ...toDifference(drift, some[0] as Hop, 'response'),
      which: String(status),
    }));
  });
}

/** Answers that had a body and are empty now. */
function lostBody({ baseline, control, hops }: HopCalls): Difference[] {
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
  { baseline, control, hops }: HopCalls,
  bodies: (hops: readonly Hop[]) => Json[],
): Drift[] {
  const sides = { baseline: bodies(baseline), control: bodies(control), candidate: bodies(hops) };
  return firstOfEach(findDrift(sides));
}

/** The first failure of a field explains the others. */
function firstOfEach(drifts: readonly Drift[]): Drift[] {
  const failing = (field: string): Drift | undefined =>
    drifts.find((one) => one.field === field && one.severity === 'fail');
  return drifts.filter((drift) => drift.severity === 'notice' || failing(drift.field) === drift);
}

function isGood({ status }: Hop): boolean {
  return status > 0 && status < 400;
}

/** Without injected faults, whose answers are Surety's own. */
function isRefusal(hop: Hop): boolean {
  return hop.status >= 400 && hop.status < 500 && !isStruck(hop);
}

function answersOf(hops: readonly Hop[]): Json[] {
  return present(hops.map(({ responseBody }) => responseBody));
}

function present(bodies: readonly Json[]): Json[] {
  return bodies.filter((body) => body !== null);
}

/** The sender of a body is responsible for it. */
function toDifference({ field, ...drift }: Drift, hop: Hop, part: Part): Difference {
  const service = part === 'request' ? (hop.from ?? 'outside') : hop.to;
  const place = `${part} ${field || '(the body)'}`;
  return { class: 'contract', service, hop: hopName(hop), place, ...drift };
}

interface HopSides {
  readonly baseline: readonly Hop[];
  readonly control: readonly Hop[];
  readonly candidate: readonly Hop[];
}

/** Fields of answers that always repeated a value of the request, and no longer do. */
function findLostEchoes({ baseline, control, candidate }: HopSides): Drift[] {
  const [first, second, now] = [baseline, control, candidate].map(echoesOf);
  return [...(now ?? [])].flatMap(([field, found]) => {
    const were = [...(first?.get(field) ?? []), ...(second?.get(field) ?? [])];
    const lost = found.find(({ isEcho }) => !isEcho);
    if (!lost || were.length === 0 || were.some(({ isEcho }) => !isEcho)) return [];
    return [
      {
        field,
        what: 'echo-lost',
        before: 'as in the request',
        after: 'otherwise',
        examples: { before: were[0]?.text ?? null, after: lost.text },
        severity: 'fail',
        confidence: certaintyOf(were.length),
      },
    ];
  });
}

interface EchoedText {
  readonly text: string;
  readonly isEcho: boolean;
}

function echoesOf(hops: readonly Hop[]): Map<string, EchoedText[]> {
  const texts = hops
    .filter(({ status, requestBody }) => status < 400 && requestBody !== null)
    .flatMap(({ requestBody, responseBody }) => {
      const sent = new Set(textsIn(requestBody).map(({ text }) => text));
      const received = textsIn(responseBody);
      return received.map(({ field, text }) => ({ field, text, isEcho: sent.has(text) }));
    });
  return Map.groupBy(texts, ({ field }) => field);
}
