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
    const lost = lostRefusals(name, recordings);
    return [...newStatuses(were, hops), ...moreFailures(name, recordings), ...(lost ? [lost] : [])];
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

/** Requests that both known runs refuse with 401 or 403, and the candidate answers. */
function lostRefusals(
  name: string,
  { baseline, control, candidate }: VersionRecordings,
): Difference | null {
  const [first, second, now] = [baseline, control, candidate].map(({ hops }) => {
    const same = hops.filter((hop) => hopName(hop) === name).map(asAnswered);
    return { all: same.length, refused: same.filter(isRefused), same };
  });
  if (!first || !second || !now) return null;
  const isSteady = first.refused.length === second.refused.length && first.all === second.all;
  if (!isSteady || first.all !== now.all || now.refused.length >= first.refused.length) return null;
  const answered = now.same.find(({ status }) => kindOf(status) === 2);
  const refused = first.refused[0];
  if (!answered || !refused) return null;
  return {
    class: 'security',
    what: 'refusal-lost',
    service: answered.to,
    hop: name,
    place: null,
    before: `${first.refused.length} of ${first.all} refused`,
    after: `${now.refused.length} of ${now.all} refused`,
    examples: { before: refused.responseBody, after: answered.responseBody },
    severity: 'fail',
    confidence: certaintyOf(first.all + second.all),
  };
}

function isRefused({ status }: Hop): boolean {
  return status === 401 || status === 403;
}

/** 0 is a class of its own: no answer. */
function kindOf(status: number): number {
  return Math.floor(status / 100);
}

function formatStatus(status: number): string {
  return status === 0 ? 'no answer' : String(status);
}
