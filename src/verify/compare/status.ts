import { asAnswered, type Hop, isStruck } from '../../lanes/index.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { hopName } from './hop-name.ts';
import { splitRecordings, type VersionRecording, type VersionRecordings } from './recording.ts';

/** New statuses, more failures, and lost refusals of a hop. */
export function findStatusChanges(recordings: VersionRecordings): Difference[] {
  const { known, candidate } = splitRecordings(recordings);
  const before = Map.groupBy(known.flatMap(answersOf), hopName);
  return [...Map.groupBy(answersOf(candidate), hopName)].flatMap(([name, hops]) => {
    const were = before.get(name);
    if (!were) return [];
    return [
      ...newStatuses(were, hops),
      ...moreFailures(name, recordings),
      ...lostRefusals(name, recordings),
    ];
  });
}

/** Without injected faults, which are not answers. */
function answersOf({ hops }: VersionRecording): Hop[] {
  return hops.filter((hop) => !isStruck(hop)).map(asAnswered);
}

function newStatuses(were: readonly Hop[], hops: readonly Hop[]): Difference[] {
  const known = new Set(were.map(({ status }) => status));
  const isNew = Map.groupBy(
    hops.filter(({ status }) => !known.has(status)),
    ({ status }) => status,
  );
  return [...isNew].map(([status, some]) => {
    const [hop] = some as [Hop];
    // A new class of error.
    const isWorse =
      kindOf(status) !== 2 && !were.some((one) => kindOf(one.status) === kindOf(status));
    return {
      class: 'status',
      what: isWorse ? 'status-worse' : 'status-changed',
      service: hop.to,
      hop: hopName(hop),
      place: null,
      which: `${kindOf(status)}xx`,
      before: [...known].sort().map(formatStatus).join(' or '),
      after: `${formatStatus(status)} in ${some.length} of ${hops.length}`,
      examples: { before: were[0]?.responseBody ?? null, after: hop.responseBody },
      severity: isWorse ? 'fail' : 'notice',
      confidence: certaintyOf(were.length),
    } as const;
  });
}

/** The same requests fail more often, if both known runs agree on how many fail. */
function moreFailures(
  name: string,
  { baseline, control, candidate }: VersionRecordings,
): Difference[] {
  const [first = [], second = [], now = []] = [baseline, control, candidate].map((one) =>
    answersOf(one).filter((hop) => hopName(hop) === name),
  );
  if (first.length !== second.length || first.length !== now.length) return [];
  return [0, 4, 5].flatMap((kind) => {
    const [was, again, is] = [first, second, now].map((hops) =>
      hops.filter(({ status }) => kindOf(status) === kind),
    );
    if (!was?.length || was.length !== again?.length || !is) return [];
    const known = new Set([...was, ...again].map(({ status }) => status));
    // New statuses are reported separately.
    const [example] = is.filter(({ status }) => known.has(status));
    if (is.length <= was.length || !example) return [];
    return {
      class: 'status',
      what: 'status-worse',
      service: example.to,
      hop: name,
      place: null,
      which: `more ${kind}xx`,
      before: `${formatStatusClass(kind)} in ${was.length} of ${first.length}`,
      after: `${formatStatusClass(kind)} in ${is.length} of ${now.length}`,
      examples: { before: was[0]?.responseBody ?? null, after: example.responseBody },
      severity: 'fail',
      confidence: certaintyOf(first.length + second.length),
    };
  });
}

function formatStatusClass(kind: number): string {
  return kind === 0 ? 'no answer' : `${kind}xx`;
}

/** Statuses of refusals, by the class of the difference if one is lost. */
const refusals = [
  ['security', [401, 403]],
  ['status', [400, 402, 409, 412, 422]],
] as const;

/** Requests that both known runs refuse, and the candidate accepts. */
function lostRefusals(name: string, recordings: VersionRecordings): Difference[] {
  const { baseline, control, candidate } = recordings;
  const [first = [], second = [], now = []] = [baseline, control, candidate].map(({ hops }) =>
    hops.filter((hop) => hopName(hop) === name).map(asAnswered),
  );
  return refusals.flatMap(([kind, statuses]) => {
    const isRefused = ({ status }: Hop): boolean => statuses.some((one) => one === status);
    const lost =
      fewerRefusals([first, second, now], isRefused) ??
      acceptedRequest([...first, ...second], now, isRefused);
    return lost === null
      ? []
      : {
          class: kind,
          what: 'refusal-lost',
          service: lost.accepted.to,
          hop: name,
          place: null,
          before: lost.before,
          after: lost.after,
          examples: { before: lost.refused.responseBody, after: lost.accepted.responseBody },
          severity: 'fail',
          confidence: certaintyOf(first.length + second.length),
        };
  });
}

interface LostRefusal extends Pick<Difference, 'before' | 'after'> {
  readonly refused: Hop;
  readonly accepted: Hop;
}

/** As many requests as before, of which the candidate refuses fewer and accepts more. */
function fewerRefusals(
  [first, second, now]: readonly [readonly Hop[], readonly Hop[], readonly Hop[]],
  isRefused: (hop: Hop) => boolean,
): LostRefusal | null {
  if (first.length !== second.length || first.length !== now.length) return null;
  const were = first.filter(isRefused);
  const are = now.filter(isRefused);
  const newlyAccepted = now.filter(isAccepted).length - first.filter(isAccepted).length;
  const [refused, accepted] = [were[0], now.findLast(isAccepted)];
  if (were.length !== second.filter(isRefused).length || !refused || !accepted) return null;
  if (are.length >= were.length || newlyAccepted <= 0) return null;
  const [before, after] = [were, are].map(({ length }) => `${length} of ${now.length} refused`);
  return { refused, accepted, before: before ?? '', after: after ?? '' };
}

/** The same request, also where a refusal led to another number of requests, as retries do. */
function acceptedRequest(
  known: readonly Hop[],
  now: readonly Hop[],
  isRefused: (hop: Hop) => boolean,
): LostRefusal | null {
  const before = Map.groupBy(known, requestText);
  for (const accepted of now.filter(isAccepted)) {
    const same = before.get(requestText(accepted));
    const [refused] = same ?? [];
    if (refused && same?.every(isRefused)) {
      return { refused, accepted, before: String(refused.status), after: String(accepted.status) };
    }
  }
  return null;
}

function requestText({ path, requestBody }: Hop): string {
  return `${path} ${JSON.stringify(requestBody)}`;
}

function isAccepted({ status }: Hop): boolean {
  return kindOf(status) === 2;
}

/** 0 is a class of its own: no answer. */
function kindOf(status: number): number {
  return Math.floor(status / 100);
}

function formatStatus(status: number): string {
  return status === 0 ? 'no answer' : String(status);
}
