import type { Difference } from './difference.ts';

/** Other values are what anything else that is wrong leads to, in every service behind it. */
function isValue({ what }: Difference): boolean {
  return what === 'value-changed' || what === 'echo-lost';
}

/**
 * Of values that are other ones, only those are held against a change that nothing explains: none
 * where something else is wrong, and of one that is passed on from service to service the first.
 * What is left out is told as a notice. Differences come with the most causal first.
 */
export function withoutConsequences(
  differences: readonly Difference[],
  changed: readonly string[],
): Difference[] {
  const failing = differences.filter(({ severity }) => severity === 'fail');
  const isExplained = failing.some((one) => !isValue(one) && changed.includes(one.service));
  const values = failing.filter(isValue);
  const own = values.filter(({ service }) => changed.includes(service));
  const blamed = new Set(isExplained ? [] : firstOfEach(own.length > 0 ? own : values));
  return differences.map((one) =>
    one.severity === 'fail' && isValue(one) && !blamed.has(one)
      ? { ...one, severity: 'notice' }
      : one,
  );
}

function firstOfEach(values: readonly Difference[]): Difference[] {
  const byName = new Map(values.toReversed().map((one) => [lastName(one), one]));
  return values.filter((one) => byName.get(lastName(one)) === one);
}

/** `response items[].price` and `request price` are the same value on its way. */
function lastName({ place, before, after }: Difference): string {
  const field = (place ?? '').split(/[ .]/).at(-1) ?? '';
  return [field, before, after].join('\n');
}
