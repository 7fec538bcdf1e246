import { type BlockPair, errorsOf, p95Of } from './degradation.ts';

/** Saturated: twice as slow as the control with the fewest clients. */
const slowFactor = 2;

/** At how many clients each version saturates, in words; null if both do at the same number. */
export function formatSaturation(pairs: readonly BlockPair[]): string | null {
  const fewest = Math.min(...pairs.map(({ control }) => control.clients));
  const first = pairs.filter(({ control }) => control.clients === fewest);
  const restedMs = p95Of(first.map(({ control }) => control));
  const before = saturationOf(pairs, 'control', restedMs);
  const after = saturationOf(pairs, 'candidate', restedMs);
  if (before === after) return null;
  const most = Math.max(...pairs.map(({ control }) => control.clients));
  const format = (clients: number | null): string =>
    clients === null ? `above ${most}` : `at ${clients}`;
  return `saturated ${format(before)} concurrent clients before, ${format(after)} now`;
}

/** The first step of the ramp at which requests take twice as long, or fail. */
function saturationOf(
  pairs: readonly BlockPair[],
  side: keyof BlockPair,
  restedMs: number,
): number | null {
  const steps = Map.groupBy(
    pairs.map((pair) => pair[side]),
    ({ clients }) => clients,
  );
  for (const [clients, blocks] of [...steps].toSorted(([one], [other]) => one - other)) {
    const isFailing = blocks.some((block) => errorsOf(block) > 0);
    if (isFailing || p95Of(blocks) > slowFactor * restedMs) return clients;
  }
  return null;
}
