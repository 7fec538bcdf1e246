import { type Difference, isValue } from './difference.ts';

/** A changed value is often only the consequence of another difference. */
function isConsequential(one: Difference): boolean {
  return isValue(one) || one.what === 'echo-lost';
}

/**
 * Makes changed values notices if something explains them: all if a changed service shows another
 * failure, and all but the first if a value is passed on from service to service. Differences are
 * given and returned with the most causal first.
 */
export function withoutConsequences(
  differences: readonly Difference[],
  changed: readonly string[],
): Difference[] {
  const failing = differences.filter(({ severity }) => severity === 'fail');
  const isExplained = failing.some((one) => !isConsequential(one) && changed.includes(one.service));
  const values = failing.filter(isConsequential);
  const own = values.filter(({ service }) => changed.includes(service));
  const unexplained = new Set(isExplained ? [] : firstOfEach(own.length > 0 ? own : values));
  return differences.map((one) =>
    one.severity === 'fail' && isConsequential(one) && !unexplained.has(one)
      ? { ...one, severity: 'notice' }
      : one,
  );
}

function firstOfEach(values: readonly Difference[]): Difference[] {
  const byName = new Map(values.toReversed().map((one) => [lastName(one), one]));
  return values.filter((one) => byName.get(lastName(one)) === one);
}

/** `response items[].price` and `request price` are the same value that is passed on. */
function lastName({ place, before, after }: Difference): string {
  const field = (place ?? '').split(/[ .]/).at(-1) ?? '';
  return [field, before, after].join('\n');
}
