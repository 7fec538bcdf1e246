import type { Instant } from '../../kernel/index.ts';
import { parseDiff } from '../../lanes/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import type { VerifiedChange } from '../api-schema.ts';
import type { Gaps, UnverifiedRoute } from './api-schema.ts';
import { readCosts } from './costs.ts';
import { type JudgedChange, judgedContent, judgedSince } from './judged-changes.ts';

interface GapsDeps {
  readonly ledger: Pick<Ledger, 'rows' | 'entry' | 'contents'>;
  readonly config: Pick<Config, 'services' | 'suites'>;
  /** Routes of real traffic that no lane was asked for; null if nobody knows. */
  readonly routes: readonly UnverifiedRoute[] | null;
}

const weekMs = 7 * 24 * 60 * 60 * 1_000;
const verdictsMax = 200;
const placesMax = 50;

/** What nobody verifies, from the last verdicts in the ledger and from telemetry. */
export async function readGaps(
  { weeks, now }: { readonly weeks: number; readonly now: Instant },
  { ledger, config, routes }: GapsDeps,
): Promise<Gaps> {
  const since = now - weeks * weekMs;
  const judged = await readJudged(ledger, since);
  return {
    since,
    verdicts: judged.length,
    routes: routes === null ? null : [...routes],
    ...gapsIn(judged, config),
    costs: await readCosts(ledger, since),
  };
}

/** A verdict with the patch that it is about. */
export interface JudgedPatch {
  readonly verdict: VerifiedChange;
  readonly patch: string;
}

async function readJudged(ledger: GapsDeps['ledger'], since: Instant): Promise<JudgedPatch[]> {
  const rows = await judgedSince(since, ledger);
  const judged: JudgedPatch[] = [];
  for (const { seq } of rows.slice(0, verdictsMax)) {
    const contents = await ledger.contents(seq);
    const contentOf = (name: string): unknown => contents.find((one) => one.name === name)?.value;
    const verdict = contentOf('verdict') as VerifiedChange | undefined;
    const change = contentOf(judgedContent) as JudgedChange | undefined;
    // What was destroyed says nothing any more.
    if (verdict && change) judged.push({ verdict, patch: change.patch });
  }
  return judged;
}

/** Pure. */
export function gapsIn(
  judged: readonly JudgedPatch[],
  config: GapsDeps['config'],
): Pick<Gaps, 'services' | 'unexecuted' | 'kinds' | 'suites'> {
  const touched = new Set(judged.flatMap(({ verdict }) => verdict.services));
  return {
    services: Object.entries(config.services)
      .filter(([name, { paths }]) => paths.length > 0 && !touched.has(name))
      .map(([name]) => name),
    unexecuted: unexecutedIn(judged),
    kinds: kindsIn(judged),
    suites: Object.keys(config.suites).map((suite) => suiteRecord(suite, judged)),
  };
}

/** The last verdict on each change knows best what of it ran. */
function unexecutedIn(judged: readonly JudgedPatch[]): Gaps['unexecuted'] {
  return judged
    .flatMap(({ verdict: { id, coverage } }) =>
      (coverage?.unexecuted ?? []).map(({ file, line, text, condition }) => ({
        file,
        line,
        text,
        condition,
        verdict: id,
      })),
    )
    .slice(0, placesMax);
}

/** Files by their ending: what was changed, and of how many changes it is known that they ran. */
function kindsIn(judged: readonly JudgedPatch[]): Gaps['kinds'] {
  const kinds = new Map<string, { changes: number; executed: number }>();
  for (const { verdict, patch } of judged) {
    const files = parseDiff(patch).map(({ from, to }) => to || from);
    for (const kind of new Set(files.map(endingOf))) {
      const counted = kinds.get(kind) ?? { changes: 0, executed: 0 };
      counted.changes += 1;
      if (hasRun(kind, verdict)) counted.executed += 1;
      kinds.set(kind, counted);
    }
  }
  return [...kinds]
    .map(([kind, counted]) => ({ kind, ...counted }))
    .sort((one, other) => one.executed - other.executed || other.changes - one.changes);
}

function endingOf(file: string): string {
  const name = file.split('/').at(-1) ?? file;
  const at = name.lastIndexOf('.');
  return at > 0 ? name.slice(at) : name;
}

/** Whether code in files of this kind is known to have run. */
function hasRun(kind: string, { coverage }: VerifiedChange): boolean {
  return (coverage?.places ?? []).some((place) => {
    const file = place.replace(/:\d+(?:-\d+)?(?: \(removed\))?$/, '');
    return endingOf(file) === kind && !coverage?.unknown.includes(file);
  });
}

function suiteRecord(suite: string, judged: readonly JudgedPatch[]): Gaps['suites'][number] {
  const runs = judged.flatMap(({ verdict }) =>
    (verdict.suites ?? [])
      .filter((run) => run.suite === suite)
      .map(({ failed }) => ({ failed, at: verdict.at ?? null })),
  );
  const caught = runs.filter(({ failed }) => failed > 0);
  return { suite, runs: runs.length, caught: caught.length, lastCaughtAt: caught[0]?.at ?? null };
}
