import type { Instant } from '../../kernel/index.ts';
import type { Lane } from '../api-schema.ts';
import type { InstanceState } from '../host/host.ts';

/** What the processes of a lane took until now. */
export type LaneUse = {
  readonly cpuMs: number;
  /** Their memory now, times how long the lane was open. */
  readonly memoryMbSeconds: number;
};

const megabyte = 1_048_576;

/** Pure. Null if no process is left that says what it took. */
export function laneUse(
  { candidates, openedAt }: Pick<Lane, 'candidates' | 'openedAt'>,
  states: ReadonlyMap<string, Pick<InstanceState, 'cpuMs' | 'memoryBytes'>>,
  now: Instant,
): LaneUse | null {
  const known = candidates.flatMap(({ name }) => {
    const { cpuMs = null, memoryBytes = null } = states.get(name) ?? {};
    return cpuMs === null || memoryBytes === null ? [] : [{ cpuMs, memoryBytes }];
  });
  if (known.length === 0) return null;
  const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
  const bytes = sum(known.map(({ memoryBytes }) => memoryBytes));
  const seconds = Math.max(0, now - openedAt) / 1_000;
  return {
    cpuMs: Math.round(sum(known.map(({ cpuMs }) => cpuMs))),
    memoryMbSeconds: Math.round((bytes / megabyte) * seconds),
  };
}
