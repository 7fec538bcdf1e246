import type { Capture } from '../probes/index.ts';
import type { SuiteRun } from '../verify/index.ts';
import type {
  Cause,
  ChangedPlace,
  FailedCheck,
  ObservedValues,
  ValueDifference,
} from './api-schema.ts';

export interface CauseSide {
  readonly runs: readonly SuiteRun[];
  readonly captures: readonly Capture[];
}

const samplesMax = 3;

/** Pure: what was seen on either side, judged. */
export function judgeCause(place: ChangedPlace, failing: CauseSide, healthy: CauseSide): Cause {
  const checks = failedOnlyHere(failing.runs, healthy.runs);
  const differences = place.names
    .map((name) => compare(name, failing.captures, healthy.captures))
    .filter(({ failing: bad, healthy: good }) => isDisjoint(bad, good));
  const missing = missingFor(checks, failing, healthy, differences);
  return { confirmed: missing === null, place, differences, checks, missing };
}

function missingFor(
  checks: readonly FailedCheck[],
  failing: CauseSide,
  healthy: CauseSide,
  differences: readonly ValueDifference[],
): string | null {
  if (checks.length === 0) return 'no check fails with the change and holds without it';
  if (failing.captures.length === 0) return 'the line was not executed in the running process';
  if (healthy.captures.length === 0) return 'the line was not executed in the version before';
  if (differences.length === 0) return 'what was captured does not tell the two versions apart';
  return null;
}

function failedOnlyHere(here: readonly SuiteRun[], there: readonly SuiteRun[]): FailedCheck[] {
  const held = new Set(names(there, true));
  return here.flatMap(({ suite, checks }) =>
    checks
      .filter(({ check, passed }) => !passed && held.has(`${suite}\n${check}`))
      .map(({ check }) => ({ suite, check })),
  );
}

function names(runs: readonly SuiteRun[], passed: boolean): string[] {
  return runs.flatMap(({ suite, checks }) =>
    checks.filter((check) => check.passed === passed).map(({ check }) => `${suite}\n${check}`),
  );
}

function compare(
  expression: string,
  failing: readonly Capture[],
  healthy: readonly Capture[],
): ValueDifference {
  return { expression, failing: seen(expression, failing), healthy: seen(expression, healthy) };
}

function seen(expression: string, captures: readonly Capture[]): ObservedValues {
  const values = captures.flatMap(({ values }) => {
    const observed = values[expression];
    return observed && 'type' in observed ? [observed] : [];
  });
  return {
    types: [...new Set(values.map(({ type }) => type))].sort(),
    samples: values.slice(0, samplesMax).map(({ value }) => value),
    captures: values.length,
  };
}

function isDisjoint(left: ObservedValues, right: ObservedValues): boolean {
  if (left.captures === 0 || right.captures === 0) return false;
  return left.types.every((type) => !right.types.includes(type));
}
