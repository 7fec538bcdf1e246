import { asAnswered, type Hop, isStruck } from '../../lanes/index.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { hopName } from './hop-name.ts';
import { type Recording, type Recordings, wholeOf } from './recording.ts';

/** Answers with a status that the hop never had, and refusals that it no longer has. */
export function findStatusChanges(recordings: Recordings): Difference[] {
  const { known, candidate } = wholeOf(recordings);
  const before = Map.groupBy(known.flatMap(answersOf), hopName);
  return [...Map.groupBy(answersOf(candidate), hopName)].flatMap(([name, hops]) => {
    const were = before.get(name);
    if (!were) return [];
    const lost = lostRefusals(name, recordings);
    return [...newStatuses(were, hops), ...moreFailures(name, recordings), ...(lost ? [lost] : [])];
  });
}

/** What was injected on the way is nobody's answer. */
function answersOf({ hops }: Recording): Hop[] {
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
    // An answer that is an error where none ever was, or one of another kind.
    const isWorse =
      kindOf(status) !== 2 && !were.some((one) => kindOf(one.status) === kindOf(status));
    return {
      class: 'status',
      what: isWorse ? 'status-worse' : 'status-changed',
      service: hop.to,
      hop: hopName(hop),
      place: null,
      which: `${kindOf(status)}xx`,
      before: [...known].sort().map(tell).join(' or '),
      after: `${tell(status)} in ${some.length} of ${hops.length}`,
      examples: { before: were[0]?.responseBody ?? null, after: hop.responseBody },
      severity: isWorse ? 'fail' : 'notice',
      confidence: certaintyOf(were.length),
    } as const;
  });
}

/** The same requests fail more often, where both known runs agree on how many do. */
function moreFailures(name: string, { baseline, control, candidate }: Recordings): Difference[] {
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
    // Those that are new altogether are told by themselves.
    const [example] = is.filter(({ status }) => known.has(status));
    if (is.length <= was.length || !example) return [];
    return {
      class: 'status',
      what: 'status-worse',
      service: example.to,
      hop: name,
      place: null,
      which: `more ${kind}xx`,
      before: `${tellKind(kind)} in ${was.length} of ${first.length}`,
      after: `${tellKind(kind)} in ${is.length} of ${now.length}`,
      examples: { before: was[0]?.responseBody ?? null, after: example.responseBody },
      severity: 'fail',
      confidence: certaintyOf(first.length + second.length),
    };
  });
}

function tellKind(kind: number): string {
  return kind === 0 ? 'no answer' : `${kind}xx`;
}

/** Requests that were refused for want of rights, in each recording of the known versions. */
function lostRefusals(
  name: string,
  { baseline, control, candidate }: Recordings,
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

/** 0 is a kind of its own: nobody answered. */
function kindOf(status: number): number {
  return Math.floor(status / 100);
}

function tell(status: number): string {
  return status === 0 ? 'no answer' : String(status);
}
