import type { Capture } from '../probes/index.ts';
import type { SuiteRun } from '../verify/index.ts';
import type {
  ChangedPlace,
  FailedCheck,
  ObservedValues,
  Separation,
  ValueDifference,
} from './api-schema.ts';
import { type ObservedValue, separate } from './hypotheses/separation.ts';

/** What was captured at one place, on each side. */
export interface PlaceCaptures {
  readonly live: readonly Capture[];
  readonly control: readonly Capture[];
  readonly controlAgain: readonly Capture[];
  readonly healthy: readonly Capture[];
}

/** The predicates that tell failing from healthy requests at a place, the clearest first. Pure. */
export function separationsAt({ names }: ChangedPlace, captures: PlaceCaptures): Separation[] {
  const found = names.flatMap((expression) => {
    const sides = {
      live: valuesOf(expression, captures.live),
      control: valuesOf(expression, captures.control),
      controlAgain: valuesOf(expression, captures.controlAgain),
      healthy: valuesOf(expression, captures.healthy),
    };
    return separate(expression, sides) ?? [];
  });
  return found.toSorted((left, right) => strength(left) - strength(right));
}

const kinds: readonly Separation['kind'][] = ['type', 'value', 'order', 'pairs'];
const strength = ({ kind }: Separation): number => kinds.indexOf(kind);

export function differenceOf(
  { expression, predicate }: Separation,
  { live, control, controlAgain, healthy }: PlaceCaptures,
): ValueDifference {
  const failing = describeValues(expression, [...live, ...control, ...controlAgain]);
  return { expression, predicate, failing, healthy: describeValues(expression, healthy) };
}

function valuesOf(expression: string, captures: readonly Capture[]): ObservedValue[] {
  return captures.flatMap(({ values }) => {
    const observed = values[expression];
    return observed && 'type' in observed ? [observed] : [];
  });
}

const samplesMax = 3;

export function describeValues(expression: string, captures: readonly Capture[]): ObservedValues {
  const values = valuesOf(expression, captures);
  const unique = new Map(values.map(({ value }) => [JSON.stringify(value), value]));
  return {
    types: [...new Set(values.map(({ type }) => type))].sort(),
    samples: [...unique.values()].slice(0, samplesMax),
    captures: values.length,
  };
}

/** Checks that fail in every run here, and pass in every run there. */
export function failedOnlyHere(
  here: readonly SuiteRun[],
  there: readonly SuiteRun[],
): FailedCheck[] {
  const [failed, passedHere] = [named(here, false), new Set(named(here, true))];
  const [held, failedThere] = [new Set(named(there, true)), new Set(named(there, false))];
  return [...new Set(failed)]
    .filter((name) => !passedHere.has(name) && held.has(name) && !failedThere.has(name))
    .map((name) => {
      const [suite = '', check = ''] = name.split('\n');
      return { suite, check };
    });
}

function named(runs: readonly SuiteRun[], passed: boolean): string[] {
  return runs.flatMap(({ suite, checks }) =>
    checks.filter((check) => check.passed === passed).map(({ check }) => `${suite}\n${check}`),
  );
}
