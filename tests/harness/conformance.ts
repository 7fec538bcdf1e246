import type { ConformanceScene } from './conformance-scene.ts';
import { type Checks, type ConformanceRevision, runSuite } from './conformance-suite.ts';

/** One scenario, reached directly and through the gateway. */
export interface Compared {
  readonly scenario: string;
  readonly checks: number;
  readonly direct: readonly string[];
  readonly gateway: readonly string[];
}

/** Some checks wait a second for a message: a busy machine gets another chance, on both sides. */
const attempts = 3;

/** Both sides of every scenario of a revision, with the checks that passed. */
export async function compareConformance(
  { direct, gateway }: ConformanceScene,
  revision: ConformanceRevision,
): Promise<Compared[]> {
  const both = await Promise.all([runSuite(direct, revision), runSuite(gateway, revision)]);
  const compared: Compared[] = [];
  for (const scenario of new Set(both.flatMap((side) => [...side.keys()]))) {
    let found = compare(scenario, both);
    for (let attempt = 1; attempt < attempts && !isSame(found); attempt++) {
      const again = [direct, gateway].map((url) => runSuite(url, revision, scenario));
      found = compare(scenario, (await Promise.all(again)) as [Checks, Checks]);
    }
    compared.push(found);
  }
  return compared;
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
