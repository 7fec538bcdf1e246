import { type BlockPair, errorsOf, p95Of } from './judge-load.ts';

/** Twice as slow as the version before with the fewest clients: from here on they wait. */
const kneeFactor = 2;

/** With how many clients each version begins to give, in words; null where neither does. */
export function tellKnee(pairs: readonly BlockPair[]): string | null {
  const fewest = Math.min(...pairs.map(({ control }) => control.clients));
  const first = pairs.filter(({ control }) => control.clients === fewest);
  const restedMs = p95Of(first.map(({ control }) => control));
  const before = kneeOf(pairs, 'control', restedMs);
  const after = kneeOf(pairs, 'candidate', restedMs);
  if (before === after) return null;
  const most = Math.max(...pairs.map(({ control }) => control.clients));
  const told = (clients: number | null): string =>
    clients === null ? `beyond ${most}` : `at ${clients}`;
  return `saturated ${told(before)} clients at once before, ${told(after)} now`;
}

/** The first step of the ramp at which requests take twice as long, or fail. */
function kneeOf(
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
    if (isFailing || p95Of(blocks) > kneeFactor * restedMs) return clients;
  }
  return null;
}
