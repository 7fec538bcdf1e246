import type { Block } from './block.ts';
import type { BlockPair } from './degradation.ts';
import { quantile } from './service-load.ts';

/** Less than this, or less than twice the value before, explains nothing. */
const msMin = 20;
const factorMin = 2;

/** What slowed a changed service down under load, by its own readings: event loop and pools. */
export function formatBottlenecks(
  pairs: readonly BlockPair[],
  services: readonly string[],
): string[] {
  return services.flatMap((service, index) => {
    const loop = compare(pairs, (block) => block.processes.readings[index]?.loopDelayMs);
    const pool = comparePools(pairs, index);
    return [
      ...(loop ? [`event loop delay of ${service} ${loop}`] : []),
      ...(pool ? [`${service} waited ${pool} for each connection of its pool`] : []),
    ];
  });
}

function compare(
  pairs: readonly BlockPair[],
  read: (block: Block) => number | undefined,
): string | null {
  const median = (side: keyof BlockPair): number =>
    quantile(
      pairs.map((pair) => read(pair[side]) ?? 0),
      0.5,
    );
  return formatChange(median('control'), median('candidate'));
}

/** A process counts waits from its start, so the difference is what these blocks added. */
function comparePools(pairs: readonly BlockPair[], index: number): string | null {
  const meanMs = (side: keyof BlockPair): number => {
    const [first, last] = [pairs[0], pairs.at(-1)].map(
      (pair) => pair?.[side].processes.readings[index],
    );
    const waits = (last?.poolWaits ?? 0) - (first?.poolWaits ?? 0);
    return waits > 0 ? ((last?.poolWaitMs ?? 0) - (first?.poolWaitMs ?? 0)) / waits : 0;
  };
  return formatChange(meanMs('control'), meanMs('candidate'));
}

function formatChange(before: number, after: number): string | null {
  if (after < msMin || after < factorMin * before) return null;
  return `${before.toFixed(0)} → ${after.toFixed(0)} ms`;
}
