import { isFault, redactSecrets } from '../../kernel/index.ts';
import { type Hunk, parseDiff } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { CauseCondition, FailedCheck } from '../api-schema.ts';
import type { ExamineDeps, LiveSide } from '../examine.ts';
import { supportMin } from '../hypotheses/separation.ts';
import { failedOnlyHere } from '../judge.ts';
import { type ObservedSide, observe } from '../observe.ts';
import { concluded, conditionOf } from './condition.ts';

/** One variable of a service that has another value than in an earlier version. */
export interface ChangedVariable {
  readonly service: string;
  readonly name: string;
  readonly now: string | undefined;
  readonly before: string | undefined;
}

interface ConfigurationChange extends ChangedVariable {
  /** Takes it back, and nothing else. */
  readonly patch: string;
  readonly line: number;
  readonly text: string;
  readonly file: string;
}

/** What testing a condition showed. */
export interface ExaminedCondition {
  readonly condition: CauseCondition;
  readonly checks: readonly FailedCheck[];
  readonly remedy: string;
}

const versionsMax = 5;

/** Tests variables of surety.yaml that changed in the last versions, the newest first. */
export async function examineConfiguration(
  live: LiveSide,
  deps: ExamineDeps,
): Promise<ExaminedCondition[]> {
  const all: ExaminedCondition[] = [];
  for (let back = 0; back < versionsMax; back++) {
    const changes = await changesAt(live.version, back, deps).catch(() => []);
    for (const change of changes) {
      all.push(await test(change, live, deps));
      if (all.at(-1)?.condition.status === 'confirmed') return all;
    }
  }
  return all;
}

async function changesAt(
  version: string,
  back: number,
  { trees, configAt, config }: ExamineDeps,
): Promise<ConfigurationChange[]> {
  const [newer, older] = [`${version}~${back}`, `${version}~${back + 1}`];
  const changed = changedVariables(await configAt(newer), await configAt(older));
  // What was changed again since is not what runs.
  const present = changed.filter(
    ({ service, name, now }) => config.services[service]?.environment[name] === now,
  );
  if (present.length === 0) return [];
  return changesOf(await trees.diff(newer, older), present);
}

export function changedVariables(now: Config, before: Config): ChangedVariable[] {
  return Object.entries(now.services).flatMap(([service, { environment }]) => {
    const old = before.services[service]?.environment;
    if (!old) return [];
    const names = new Set([...Object.keys(environment), ...Object.keys(old)]);
    return [...names]
      .filter((name) => environment[name] !== old[name])
      .map((name) => ({ service, name, now: environment[name], before: old[name] }));
  });
}

/** A hunk counts if it changes one line on each side, and this line one variable. Pure. */
export function changesOf(
  reverse: string,
  variables: readonly ChangedVariable[],
): ConfigurationChange[] {
  const file = parseDiff(reverse).find(({ from }) => /(?:^|\/)surety\.yaml$/.test(from));
  if (!file) return [];
  return file.hunks.flatMap((hunk) => {
    const line = onlyLine(hunk);
    const own = line ? variables.filter(({ name }) => namesIn(line.text).includes(name)) : [];
    const [variable] = own;
    if (!line || !variable || own.length > 1) return [];
    const place = { line: line.line, text: line.text.trim(), file: file.from };
    return [{ ...variable, ...place, patch: file.head + hunk.text }];
  });
}

const namesIn = (line: string): string[] => line.match(/[A-Za-z_]\w*(?=\s*:)/g) ?? [];

/** The line that runs now: the only one that this hunk takes out, or else puts in. */
function onlyLine({ lines }: Hunk): { line: number; text: string } | null {
  const [removed, added] = ['removed', 'added'].map((kind) =>
    lines.filter((one) => one.kind === kind),
  );
  if (!removed || !added || removed.length > 1 || added.length > 1) return null;
  const [line = added[0]] = removed;
  return line ? { line: line.lineBefore, text: line.text } : null;
}

async function test(
  change: ConfigurationChange,
  live: LiveSide,
  deps: ExamineDeps,
): Promise<ExaminedCondition> {
  const { service, name, patch } = change;
  const condition: CauseCondition = {
    ...conditionOf('configuration', {
      id: `configuration-${service}-${name}`,
      statement: `${service}: ${name} is ${shown(change.now)}; it was ${shown(change.before)}`,
      service,
      variable: name,
    }),
    place: { file: change.file, line: change.line, text: redactSecrets(change.text) as string },
  };
  const ended = (status: CauseCondition['status'], fact: string): ExaminedCondition => ({
    condition: concluded(condition, status, fact),
    checks: [],
    remedy: '',
  });
  const healthy = await deps.open(patch, []).catch((error: unknown) => {
    if (isFault(error)) return error.message;
    throw error;
  });
  if (typeof healthy === 'string') return ended('open', `it could not be tested: ${healthy}`);
  const without = await observe(healthy, live.version, [], deps, runsOfEach);
  if (failedOnlyHere(live.symptom.runs, without.runs).length === 0) {
    return ended('refuted', 'the symptom stays with the previous value');
  }
  const control = await deps.open(undefined, [service]);
  const copy = await observe(control, live.version, [], deps, runsOfEach);
  const again = await observe(healthy, live.version, [], deps);
  const good = [...without.runs, ...again.runs];
  const checks = failedOnlyHere([...live.symptom.runs, ...copy.runs], good);
  if (checks.length === 0) {
    const fact = 'a fresh copy with the present value is well, too: a restart ends the symptom';
    return ended('refuted', fact);
  }
  const [bad, well] = [executions(copy, service), executions(without, service)];
  if (Math.min(bad, well) < supportMin) {
    return ended('open', `${service} got ${bad} and ${well} requests; ${supportMin} are needed`);
  }
  const fact = `${name} is ${shown(change.now)} in ${bad} of ${bad} requests of the failing copy and in 0 of ${well} with ${shown(change.before)}`;
  return { condition: concluded(condition, 'confirmed', fact), checks, remedy: patch };
}

const runsOfEach = 4;

const executions = ({ hops }: ObservedSide, service: string): number =>
  hops.filter(({ to }) => to === service).length;

const shown = (value: string | undefined): string =>
  value === undefined ? 'not set' : JSON.stringify(redactSecrets(value)).slice(0, 100);
