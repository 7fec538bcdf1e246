import { type Actor, committedValue, fault } from '../kernel/index.ts';
import {
  type Baseline,
  type Hunk,
  type Lane,
  type PromotedVersion,
  parseDiff,
} from '../lanes/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { runTest } from '../verify/index.ts';
import type { Cause, ChangedPlace, Investigation } from './api-schema.ts';
import { makeCase, type RegressionCase } from './case.ts';
import { judgeCause } from './cause.ts';
import { type ExperimentDeps, investigator, observe } from './experiment.ts';

export interface InvestigateDeps extends ExperimentDeps {
  readonly ledger: Ledger;
  readonly baseline: Baseline;
  readonly lastPromotion: () => Promise<PromotedVersion | undefined>;
}

/** From an alert to a cause that captures confirm, with a remedy and a case; or what is missing. */
export async function investigate(
  actor: Actor,
  alert: string | null,
  deps: InvestigateDeps,
): Promise<Investigation> {
  const promoted = await deps.lastPromotion();
  if (!promoted) throw fault('NO_SUSPECT', {});
  const proposal = { actor, tool: 'investigation.run', arguments: { alert } };
  const outcome = await deps.act(proposal, async () => {
    const investigation = await run(alert, promoted, deps);
    await record(actor, investigation, deps.ledger);
    return investigation;
  });
  return committedValue(outcome);
}

async function run(
  alert: string | null,
  promoted: PromotedVersion,
  deps: InvestigateDeps,
): Promise<Investigation> {
  const { commit, base, services, by } = promoted;
  const places = changedPlaces(await deps.trees.diff(base, commit));
  const remedy = await deps.trees.diff(commit, base);
  const opened: Lane[] = [];
  try {
    const open = async (patch?: string): Promise<Lane> => {
      const lane = await deps.lanes.open(investigator, { patch, base: commit, transient: true });
      opened.push(lane);
      return lane;
    };
    const lanes = { failing: await open(), healthy: await open(remedy) };
    const { cause, regression } = await examine(places, promoted, lanes, deps);
    const id = deps.makeIdentifier('inv');
    return { id, alert, suspect: { commit, services, by }, cause, remedy, regression };
  } finally {
    for (const { lane } of opened) await deps.lanes.close(investigator, lane);
  }
}

interface ExaminedSuspect {
  readonly cause: Cause;
  readonly regression: Investigation['regression'];
}

/** Place after place, until one is confirmed. */
async function examine(
  places: readonly ChangedPlace[],
  promoted: PromotedVersion,
  lanes: { failing: Lane; healthy: Lane },
  deps: InvestigateDeps,
): Promise<ExaminedSuspect> {
  let last: ExaminedSuspect | undefined;
  for (const place of places) {
    const sides = await bothSides(place, promoted, lanes, deps);
    const cause = judgeCause(place, sides.failing, sides.healthy);
    const made = cause.confirmed ? makeCase(sides.failing.hops, sides.healthy.hops) : null;
    last = { cause, regression: made && (await proveCase(made, promoted, lanes, deps)) };
    if (cause.confirmed) return last;
  }
  if (last) return last;
  throw fault('NO_SUSPECT', {});
}

/** One after the other: only one process at a time can be looked into. */
async function bothSides(
  place: ChangedPlace,
  { commit, services }: PromotedVersion,
  lanes: { failing: Lane; healthy: Lane },
  deps: InvestigateDeps,
) {
  const service = services[0] ?? '';
  const candidate = lanes.healthy.candidates.find((one) => one.service === service);
  const pids = {
    failing: (await deps.baseline.status()).find((one) => one.service === service)?.pid ?? 0,
    healthy: (await deps.host.running()).get(candidate?.name ?? '')?.pid ?? 0,
  };
  const tops = {
    failing: (await deps.trees.open(commit)).top,
    healthy: (await deps.trees.open(commit, lanes.healthy.lane)).top,
  };
  const common = { base: commit };
  const failing = await observe(
    place,
    { ...common, lane: lanes.failing, pid: pids.failing, top: tops.failing, line: place.line },
    deps,
  );
  const healthy = await observe(
    place,
    {
      ...common,
      lane: lanes.healthy,
      pid: pids.healthy,
      top: tops.healthy,
      line: place.lineBefore,
    },
    deps,
  );
  return { failing, healthy };
}

/** A case counts when it fails on the bad version and passes on the good one. */
async function proveCase(
  made: RegressionCase,
  { commit }: PromotedVersion,
  lanes: { failing: Lane; healthy: Lane },
  deps: InvestigateDeps,
): Promise<Investigation['regression']> {
  const test = { path: `${made.id}.mjs`, code: made.code };
  const fails = (await runTest(test, lanes.failing, commit, deps)).result === 'failed';
  const passes = (await runTest(test, lanes.healthy, commit, deps)).result === 'passed';
  const contents = [{ name: 'code', subject: made.id, value: made.code }];
  const body = { case: made.id, fails, passes, commit };
  await deps.ledger.append({ kind: 'case-recorded', actor: investigator, body, contents });
  return { id: made.id, fails, passes };
}

async function record(actor: Actor, investigation: Investigation, ledger: Ledger): Promise<void> {
  const { id, alert, suspect, cause } = investigation;
  const { confirmed, missing, place } = cause;
  const body = {
    investigation: id,
    alert,
    suspect,
    confirmed,
    missing,
    file: place.file,
    line: place.line,
  };
  const value = investigation;
  const contents = [{ name: 'report', subject: id, value }];
  await ledger.append({ kind: 'investigation-closed', actor, body, contents });
}

const namesMax = 5;
const source = /\.[cm]?[jt]s$/;
const testFile = /\.(?:test|spec)\.[cm]?[jt]s$/;

/** Pure, on a diff that git made. */
function changedPlaces(diff: string): ChangedPlace[] {
  return parseDiff(diff)
    .filter(({ to }) => source.test(to) && !testFile.test(to))
    .flatMap(({ to, hunks }) => hunks.flatMap((hunk) => placesIn(to, hunk)));
}

function placesIn(file: string, { lines }: Hunk): ChangedPlace[] {
  let added: string[] = [];
  return lines.flatMap(({ kind, text, lineBefore, lineAfter }) => {
    if (kind === 'added') added.push(text);
    if (kind !== 'context') return [];
    const used = assignedNames(added).filter((name) => mentions(text, name));
    added = [];
    if (used.length === 0) return [];
    const names = used.slice(0, namesMax);
    return [{ file, line: lineAfter, lineBefore, text: text.trim(), names }];
  });
}

/** What `const x = …` and `const { a, b: c } = …` give a value to. */
function assignedNames(lines: readonly string[]): string[] {
  const names = lines.flatMap((line) => {
    const single = /^\s*(?:const|let|var)\s+([A-Za-z_$][\w$]*)\b/.exec(line)?.[1];
    if (single) return [single];
    const several = /^\s*(?:const|let|var)\s*\{([^}]*)\}/.exec(line)?.[1] ?? '';
    return several.split(',').flatMap(
      (item) =>
        item
          .split(':')
          .at(-1)
          ?.trim()
          .match(/^[\w$]+/)?.[0] ?? [],
    );
  });
  return [...new Set(names)].reverse();
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text);
}
