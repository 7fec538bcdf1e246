import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFault } from '../kernel/index.ts';
import type { Lane } from '../lanes/index.ts';
import type {
  ChangedPlace,
  FailedCheck,
  Hypothesis,
  Separation,
  SuspectChange,
} from './api-schema.ts';
import { changedPlaces, countHunks, onlyHunk, sourcesOnly } from './hypotheses/changed-places.ts';
import { hypothesesOf } from './hypotheses/hypotheses.ts';
import { supportMin } from './hypotheses/separation.ts';
import { failedOnlyHere, type PlaceCaptures, separationsAt } from './judge.ts';
import { type ObserveDeps, type ObservedSide, observe, type ProbePoint } from './observe.ts';

/** The running version, and a lane whose requests reach its own processes. */
export interface LiveSide {
  readonly version: string;
  readonly lane: Lane;
  /** What the suites said of it before anything was probed. */
  readonly symptom: ObservedSide;
}

export interface ConfirmedPlace {
  readonly place: ChangedPlace;
  readonly separations: readonly Separation[];
  readonly captures: PlaceCaptures;
}

/** What testing one suspect showed. */
export interface ExaminedSuspect {
  readonly suspect: SuspectChange;
  readonly hypotheses: readonly Hypothesis[];
  /** Checks that fail now and pass without the change. */
  readonly checks: readonly FailedCheck[];
  readonly confirmed: ConfirmedPlace | null;
  /** The patch that ended the symptom. */
  readonly remedy: string;
  readonly missing: string | null;
  readonly lanes: { readonly control: Lane; readonly healthy: Lane } | null;
  readonly sides: { readonly control: ObservedSide; readonly healthy: ObservedSide } | null;
}

export interface ExamineDeps extends ObserveDeps {
  /** Opens a lane that is closed when the investigation ends. */
  readonly open: (patch: string | undefined, services: readonly string[]) => Promise<Lane>;
}

/** Tests one suspect: does the symptom end without it, and what did its lines do meanwhile? */
export async function examine(
  suspect: SuspectChange,
  live: LiveSide,
  deps: ExamineDeps,
): Promise<ExaminedSuspect> {
  const diff = await deps.trees.diff(suspect.base, suspect.commit);
  const reverse = sourcesOnly(await deps.trees.diff(suspect.commit, suspect.base));
  const places = changedPlaces(diff, await readSources(diff, suspect.commit, deps));
  const hypotheses = hypothesesOf(suspect, diff, places);
  const nothing = {
    suspect,
    checks: [],
    confirmed: null,
    remedy: reverse,
    lanes: null,
    sides: null,
  };
  const healthy = await deps.open(reverse, []).catch((error: unknown) => {
    if (isFault(error)) return error.message;
    throw error;
  });
  if (typeof healthy === 'string') {
    const missing = `it could not be taken back alone: ${healthy}`;
    return { ...nothing, hypotheses: withEvidence(hypotheses, 'open', missing), missing };
  }
  const without = await observe(healthy, live.version, [], deps);
  const checks = failedOnlyHere(live.symptom.runs, without.runs);
  if (checks.length === 0) {
    const missing = 'the symptom stays when this change alone is taken back';
    return { ...nothing, hypotheses: withEvidence(hypotheses, 'refuted', missing), missing };
  }
  const control = await deps.open(undefined, servicesOf(healthy));
  return look(
    { ...nothing, checks, hypotheses, missing: null },
    places,
    { live, control, healthy },
    deps,
  );
}

function withEvidence(
  hypotheses: readonly Hypothesis[],
  status: Hypothesis['status'],
  fact: string,
): Hypothesis[] {
  return hypotheses.map((one) => ({ ...one, status, evidence: [...one.evidence, fact] }));
}

async function readSources(
  diff: string,
  commit: string,
  { trees }: ExamineDeps,
): Promise<(file: string) => string | null> {
  const names = [...diff.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, name = '']) => name);
  const { top } = await trees.open(commit);
  const texts = new Map<string, string>();
  for (const name of names) {
    const file = join(top, name);
    if (existsSync(file)) texts.set(name, readFileSync(file, 'utf8'));
  }
  return (file) => texts.get(file) ?? null;
}

const servicesOf = ({ candidates }: Lane): string[] => [
  ...new Set(candidates.map(({ service }) => service)),
];

interface Sides {
  readonly live: LiveSide;
  readonly control: Lane;
  readonly healthy: Lane;
}

/**
 * Reads all places of the change in the running process, in a fresh copy of its version, in the
 * version without the change, and in the copy again: what only time changes is told apart.
 */
async function look(
  found: ExaminedSuspect,
  places: readonly ChangedPlace[],
  sides: Sides,
  deps: ExamineDeps,
): Promise<ExaminedSuspect> {
  const { live, control, healthy } = sides;
  const version = live.version;
  const at = (lane: Lane | null) => pointsAt(places, found.suspect, lane, deps);
  const running = await observe(live.lane, version, await at(null), deps);
  const rounds = roundsFor(running);
  const copy = await observe(control, version, await at(control), deps, rounds);
  const good = await observe(healthy, version, await at(healthy), deps, rounds);
  const again = await observe(control, version, await at(control), deps, rounds);
  const checks = failedOnlyHere([...running.runs, ...copy.runs, ...again.runs], good.runs).filter(
    ({ suite, check }) => found.checks.some((one) => one.suite === suite && one.check === check),
  );
  const seen = places.map((place): ConfirmedPlace => {
    const key = keyOf(place);
    const captures = {
      live: running.captures.get(key) ?? [],
      control: copy.captures.get(key) ?? [],
      controlAgain: again.captures.get(key) ?? [],
      healthy: good.captures.get(key) ?? [],
    };
    return { place, captures, separations: separationsAt(place, captures) };
  });
  const result = {
    ...found,
    checks,
    lanes: { control, healthy },
    sides: { control: copy, healthy: good },
    hypotheses: found.hypotheses.map((one) => explain(one, seen, running)),
  };
  if (checks.length === 0) {
    return { ...result, missing: 'the checks did not fail and pass the same way in every run' };
  }
  return choose(result, seen, sides, deps);
}

const roundsMax = 3;

/** As often as the rarest place that runs at all needs for enough values. */
function roundsFor({ captures }: ObservedSide): number {
  const counts = [...captures.values()].map(({ length }) => length).filter((count) => count > 0);
  const least = Math.min(...counts, supportMin);
  return Math.min(roundsMax, Math.ceil(supportMin / least));
}

const keyOf = ({ file, line }: ChangedPlace): string => `${file}:${line}`;

async function pointsAt(
  places: readonly ChangedPlace[],
  { services }: SuspectChange,
  lane: Lane | null,
  { baseline, host, config }: ExamineDeps,
): Promise<ProbePoint[]> {
  const status = await baseline.status();
  const running = await host.running();
  return places.flatMap((place) => {
    const isIn = (service: string): boolean =>
      config.services[service]?.paths.some((path) => place.file.includes(`${path}/`)) ?? false;
    const service = services.find(isIn) ?? services[0] ?? '';
    const candidate = lane?.candidates.find((one) => one.service === service);
    // Without a candidate the lane's requests go to the running process.
    const pid = candidate
      ? running.get(candidate.name)?.pid
      : status.find((one) => one.service === service)?.pid;
    if (typeof pid !== 'number' || place.names.length === 0) return [];
    const isBefore = lane !== null && lane.change !== null;
    const line = isBefore ? place.lineBefore : place.line;
    const { file, names } = place;
    return [{ key: keyOf(place), service, pid, file, line, expressions: names }];
  });
}

function explain(
  hypothesis: Hypothesis,
  seen: readonly ConfirmedPlace[],
  running: ObservedSide,
): Hypothesis {
  const key = keyOf(hypothesis.place);
  const found = seen.find(({ place }) => keyOf(place) === key);
  const refusal = running.refusals.get(key);
  const facts = [
    ...(refusal ? [`nothing could be read there: ${refusal}`] : []),
    ...(found?.separations.map(
      ({ predicate, failing, healthy }) =>
        `${predicate}: ${failing.held} of ${failing.of} failing, ${healthy.held} of ${healthy.of} healthy`,
    ) ?? []),
  ];
  const live = found?.captures.live.length ?? 0;
  const silent = `executed ${live} times in the running process; nothing read there tells failing from healthy requests`;
  const isOpen = facts.length > 0;
  const evidence = [...hypothesis.evidence, ...(isOpen ? facts : [silent])];
  return { ...hypothesis, status: isOpen ? 'open' : 'refuted', evidence };
}

/**
 * A change of several hunks may have a harmless one that separates as well. Only the hunk whose
 * own removal ends the symptom is the cause.
 */
async function choose(
  found: ExaminedSuspect,
  seen: readonly ConfirmedPlace[],
  { live }: Sides,
  deps: ExamineDeps,
): Promise<ExaminedSuspect> {
  const separating = seen.filter(({ separations }) => separations.length > 0);
  if (separating.length === 0) return { ...found, missing: whyNothing(seen) };
  if (countHunks(found.remedy) === 1) return confirm(found, separating, found.remedy);
  const refuted = new Set<number>();
  for (const hunk of new Set(separating.map(({ place }) => place.hunk))) {
    const remedy = onlyHunk(found.remedy, hunk);
    const lane = await deps.open(remedy, []).catch(() => null);
    const without = lane && (await observe(lane, live.version, [], deps));
    const fixed = without ? failedOnlyHere(live.symptom.runs, without.runs) : [];
    if (fixed.length >= found.checks.length) {
      const own = separating.filter(({ place }) => place.hunk === hunk);
      return confirm(withRefuted(found, refuted), own, remedy);
    }
    refuted.add(hunk);
  }
  const missing = 'the symptom ends only if several parts of the change are taken back together';
  return { ...found, missing };
}

function withRefuted(found: ExaminedSuspect, hunks: ReadonlySet<number>): ExaminedSuspect {
  const fact = 'the symptom stays when these lines alone are taken back';
  const hypotheses = found.hypotheses.map((one) =>
    hunks.has(one.place.hunk)
      ? { ...one, status: 'refuted' as const, evidence: [...one.evidence, fact] }
      : one,
  );
  return { ...found, hypotheses };
}

function confirm(
  found: ExaminedSuspect,
  separating: readonly ConfirmedPlace[],
  remedy: string,
): ExaminedSuspect {
  const kinds: readonly Separation['kind'][] = ['type', 'value', 'order', 'pairs'];
  const rank = ({ separations }: ConfirmedPlace): number =>
    kinds.indexOf(separations[0]?.kind ?? 'pairs');
  const [confirmed = null] = separating.toSorted((left, right) => rank(left) - rank(right));
  const fact = 'the symptom ends when these lines alone are taken back';
  const hypotheses = found.hypotheses.map((one) =>
    confirmed && keyOf(one.place) === keyOf(confirmed.place)
      ? { ...one, status: 'confirmed' as const, evidence: [...one.evidence, fact] }
      : one,
  );
  return { ...found, hypotheses, confirmed, remedy };
}

function whyNothing(seen: readonly ConfirmedPlace[]): string {
  if (seen.length === 0) return 'no line of the change can be probed';
  if (seen.every(({ captures }) => captures.live.length === 0))
    return 'no changed line was executed in the running process while the checks failed';
  if (seen.every(({ captures }) => captures.healthy.length < supportMin))
    return `at least ${supportMin} executions in the version without the change`;
  return 'nothing that was captured tells failing from healthy requests';
}
