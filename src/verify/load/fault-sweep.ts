import type { Hop, Lane } from '../../lanes/index.ts';
import type { Difference } from '../compare/index.ts';
import { verifyLimits } from '../limits.ts';
import { stepsWithEffects } from './concurrent-requests.ts';
import { formatRequest } from './degradation.ts';
import type { LoadSession } from './load-session.ts';
import { type PlannedFault, planFaults } from './planned-fault.ts';
import { type RetriedRequest, retry, type WatchWrites, withOwnKey } from './retry.ts';
import { type DefectUnderFault, findRetryDefects, type RetryDefect } from './retry-defects.ts';

export interface SweepPlan {
  /** The changed services. */
  readonly services: readonly string[];
  /** Reads what a lane writes from now on. */
  watch(lane: Lane): ReturnType<WatchWrites>;
  /** How long after the last call of a request another may come. */
  readonly quietMs: number;
}

interface SweepResult {
  readonly defects: readonly DefectUnderFault[];
  readonly remarks: readonly string[];
}

/**
 * Sends each request that has an effect with a fault at each hop that affects only the client or a
 * process of the lane, and then again without, like a client that does not know whether it was
 * served. Hops of changed services come first.
 */
export async function sweepFaults(session: LoadSession, plan: SweepPlan): Promise<SweepResult> {
  const started = performance.now();
  const isLate = (): boolean =>
    session.isLate || performance.now() - started >= verifyLimits.sweepMsMax;
  const faults = await faultsOf(session, plan.services);
  const defects: DefectUnderFault[] = [];
  let tried = 0;
  for (const fault of faults.slice(0, verifyLimits.sweptFaultsMax)) {
    if (isLate()) break;
    tried++;
    defects.push(...(await tryFault(session, fault, plan)));
  }
  return { defects, remarks: formatSweep(tried, faults.length) };
}

/** More are not worth a second start. */
const relapsesMax = 4;

/** Injects the same faults on another start, and reports the defects that it shows, too. */
export async function confirmDefects(
  session: LoadSession,
  before: readonly DefectUnderFault[],
  plan: SweepPlan,
): Promise<{ readonly differences: Difference[]; readonly shown: Hop[] }> {
  const different = new Map(before.toReversed().map((one) => [kindOf(one), one]));
  const again: DefectUnderFault[] = [];
  for (const { fault, defect } of [...different.values()].toReversed().slice(0, relapsesMax)) {
    const found = await tryFault(session, fault, plan);
    again.push(...found.filter((one) => nameOf(one.defect) === nameOf(defect)));
  }
  return {
    differences: again.map((one) => defectDifference(one, plan.services)),
    shown: again.flatMap(({ defect }) => defect.by.hops),
  };
}

async function faultsOf(session: LoadSession, changed: readonly string[]): Promise<PlannedFault[]> {
  const own = session.control.lane.candidates.map(({ service }) => service);
  const faults: PlannedFault[] = [];
  for (const steps of session.isLate ? [] : stepsWithEffects(session.steps)) {
    const request = await session.control.prepare(steps);
    if (!request) continue;
    await session.control.newHops();
    // With a used key it would be answered from a cache, and no call would be made.
    const { id } = await session.control.send(withOwnKey(request));
    const hops = await session.control.newHops();
    const path = hops.filter(({ requestId }) => requestId === id);
    faults.push(...planFaults(steps, path, { changed, own }));
  }
  return orderFaults(faults);
}

/** Each route and hop once, before any again with another body; hops of changed services first. */
export function orderFaults(faults: readonly PlannedFault[]): PlannedFault[] {
  const seen = new Map<string, number>();
  const placed = faults.map((fault) => {
    const place = placeOf(fault);
    const turn = seen.get(place) ?? 0;
    seen.set(place, turn + 1);
    return { fault, turn, far: fault.isClose ? 0 : 1 };
  });
  return placed
    .toSorted((one, other) => one.turn - other.turn || one.far - other.far)
    .map(({ fault }) => fault);
}

function placeOf(fault: PlannedFault): string {
  return `${requestOf(fault)} ${fault.hop} ${fault.kind}`;
}

const triesOfFault = 4;

/** Most faults show nothing in one try. What does may only have come late, so then it waits. */
async function tryFault(
  session: LoadSession,
  fault: PlannedFault,
  plan: SweepPlan,
): Promise<DefectUnderFault[]> {
  const firstTry = await findIn(1, session, fault, { ...plan, quietMs: 0 });
  const found = firstTry.length > 0 ? await findIn(triesOfFault, session, fault, plan) : [];
  return found.map((defect) => ({ fault, defect }));
}

async function findIn(
  tries: number,
  session: LoadSession,
  fault: PlannedFault,
  { watch, quietMs }: SweepPlan,
): Promise<RetryDefect[]> {
  const [control, candidate]: [RetriedRequest[], RetriedRequest[]] = [[], []];
  let found: RetryDefect[] = [];
  for (let n = 0; n < tries; n++) {
    const [one, other] = await session.both((arm) =>
      retry(arm, fault, { watch: () => watch(arm.lane), quietMs }),
    );
    if (!one || !other) return [];
    control.push(one);
    candidate.push(other);
    // One try may differ by chance.
    found = findRetryDefects({ fault, control, candidate }, Math.max(1, n));
    if (found.length === 0 || session.isLate) return [];
  }
  return found;
}

/** The same defect shows at several hops of a path; it is reported once, at the closest. */
function kindOf({ fault, defect }: DefectUnderFault): string {
  return `${requestOf(fault)} ${defect.class} ${defect.what}`;
}

function nameOf({ what, hop, place }: RetryDefect): string {
  return `${what} ${hop} ${place}`;
}

function formatSweep(tried: number, all: number): string[] {
  if (all === 0) return [];
  const left = all > tried ? `; ${all - tried} more were left out` : '';
  return [`retried requests after ${tried} injected faults${left}`];
}

/** Includes the fault that reproduces the defect. */
function defectDifference(
  { fault, defect }: DefectUnderFault,
  services: readonly string[],
): Difference {
  const { class: kind, what, hop, place, before, after, by } = defect;
  const request = requestOf(fault);
  const baggage = `surety-fault=${fault.hop}:${fault.kind}`;
  const reached = by.hops.map(({ to }) => to);
  return {
    class: kind,
    what,
    service: responsibleService(reached, fault, services),
    hop,
    place: place === null ? request : `${place} of ${request}`,
    before,
    after: `${after} (${formatFault(fault)}; ${request} with baggage ${baggage}, then without)`,
    examples: { before: null, after: { request: by.ids.at(-1) ?? null } },
    severity: 'fail',
    confidence: 0.99,
  };
}

/** Success that may be meant: the author has to say so. */
export function formatHidden({ fault, defect }: DefectUnderFault): string {
  const { before, after } = defect;
  return `${requestOf(fault)}: ${before} became ${after} although ${formatFault(fault)}`;
}

export function formatUnconfirmed({ fault, defect }: DefectUnderFault): string {
  const what = `${defect.what.replaceAll('-', ' ')} (${defect.after})`;
  return `${requestOf(fault)}: ${what} after ${formatFault(fault)}, in one of two starts`;
}

function requestOf({ steps }: PlannedFault): string {
  const last = steps.at(-1);
  return last ? formatRequest(last.request) : '';
}

function formatFault({ hop, kind }: PlannedFault): string {
  const [from, to] = hop.split('>');
  if (kind === 'lost') return `the answer of ${to} to ${from} was lost`;
  return `${to} was unavailable when ${from} called it`;
}

/** The callee or caller if it is changed; else the last changed service that was reached. */
function responsibleService(
  reached: readonly string[],
  { hop }: PlannedFault,
  services: readonly string[],
): string {
  const [from, to] = hop.split('>');
  const isChanged = (one: string | undefined) => one !== undefined && services.includes(one);
  return [to, from, ...reached.toReversed()].find(isChanged) ?? services[0] ?? '';
}
