import type { ConformanceScene } from './conformance-scene.ts';
import { type Checks, type ConformanceRevision, runSuite } from './conformance-suite.ts';

/** One scenario, reached directly and through the gateway. */
export interface Compared {
  readonly scenario: string;
  readonly checks: number;
  readonly direct: readonly string[];
  readonly gateway: readonly string[];
}

/**
 * Both sides of every scenario of a revision, with the checks that passed. Some checks give a
 * message half a second to come: on a busy machine both sides get more chances, and what passed
 * once can pass.
 */
export async function compareConformance(
  { direct, gateway }: ConformanceScene,
  revision: ConformanceRevision,
  attempts = 6,
): Promise<Compared[]> {
  const both = await Promise.all([runSuite(direct, revision), runSuite(gateway, revision)]);
  const compared: Compared[] = [];
  for (const scenario of new Set(both.flatMap((side) => [...side.keys()]))) {
    let found = compare(scenario, both);
    for (let attempt = 1; attempt < attempts && !isSettled(found); attempt++) {
      const again = await runSuite(direct, revision, scenario);
      found = join(found, compare(scenario, [again, await runSuite(gateway, revision, scenario)]));
    }
    compared.push(found);
  }
  return compared;
}

function join(one: Compared, other: Compared): Compared {
  const union = (side: 'direct' | 'gateway'): string[] =>
    [...new Set([...one[side], ...other[side]])].toSorted();
  return { ...one, direct: union('direct'), gateway: union('gateway') };
}

/** What the reference server does not have: the extension of tasks. */
export function isBeyond({ scenario }: Compared): boolean {
  return scenario.startsWith('tasks-');
}

function isSettled(found: Compared): boolean {
  return isSame(found) && (isBeyond(found) || found.direct.length === found.checks);
}

export function isSame({ direct, gateway }: Compared): boolean {
  return direct.join('\n') === gateway.join('\n');
}

function compare(scenario: string, [direct, gateway]: readonly [Checks, Checks]): Compared {
  const passed = (checks: Checks): string[] =>
    [...(checks.get(scenario) ?? [])].flatMap(([check, isPassed]) => (isPassed ? [check] : []));
  return {
    scenario,
    checks: direct.get(scenario)?.size ?? 0,
    direct: passed(direct).toSorted(),
    gateway: passed(gateway).toSorted(),
  };
}
