import type { Block } from './block.ts';
import type { BlockPair } from './judge-load.ts';
import { quantile } from './service-load.ts';

/** Less than that, or less than twice of what it was, explains nothing. */
const msMin = 20;
const factorMin = 2;

/** What held a changed service up under load, as it tells itself: its event loop, its pools. */
export function tellHoldUps(pairs: readonly BlockPair[], services: readonly string[]): string[] {
  return services.flatMap((service, index) => {
    const loop = compare(pairs, (block) => block.held.told[index]?.loopDelayMs);
    const pool = comparePools(pairs, index);
    return [
      ...(loop ? [`the event loop of ${service} was held up for ${loop}`] : []),
      ...(pool ? [`${service} waited for connections of its pool for ${pool} each`] : []),
    ];
  });
}

function compare(
  pairs: readonly BlockPair[],
  read: (block: Block) => number | undefined,
): string | null {
  const middle = (side: keyof BlockPair): number =>
    quantile(
      pairs.map((pair) => read(pair[side]) ?? 0),
      0.5,
    );
  return tell(middle('control'), middle('candidate'));
}

/** Waits are counted from the start of a process: what these blocks added is what they had. */
function comparePools(pairs: readonly BlockPair[], index: number): string | null {
  const meanMs = (side: keyof BlockPair): number => {
    const [first, last] = [pairs[0], pairs.at(-1)].map((pair) => pair?.[side].held.told[index]);
    const waits = (last?.poolWaits ?? 0) - (first?.poolWaits ?? 0);
    return waits > 0 ? ((last?.poolWaitMs ?? 0) - (first?.poolWaitMs ?? 0)) / waits : 0;
  };
  return tell(meanMs('control'), meanMs('candidate'));
}

function tell(before: number, after: number): string | null {
  if (after < msMin || after < factorMin * before) return null;
  return `${before.toFixed(0)} → ${after.toFixed(0)} ms`;
}
