import type { Hop } from '../../lanes/index.ts';
import type { ScenarioRequest } from '../traffic/index.ts';

/** One request as one version served it. */
export interface Sample {
  /** By which its hop from outside is known. */
  readonly id: string;
  readonly status: number;
  /** On the CPU of the services that are metered, by their order. */
  readonly cpuUs: readonly number[];
}

/** The same request on both versions. */
export interface SampledPair {
  readonly request: ScenarioRequest;
  readonly control: Sample;
  readonly candidate: Sample;
}

/**
 * The hops that each request led to. Requests are sent one after the other, so that whatever begins
 * before the next one is of the one before; not every service hands on the id of a request.
 */
export function hopsByRequest(hops: readonly Hop[]): ReadonlyMap<string, readonly Hop[]> {
  const ordered = hops.toSorted((one, other) => one.startedAt - other.startedAt);
  const groups = new Map<string, Hop[]>();
  let latest: Hop[] | undefined;
  for (const hop of ordered) {
    if (hop.from === null) {
      latest = [];
      groups.set(hop.requestId ?? '', latest);
    }
    latest?.push(hop);
  }
  return groups;
}

/** Whether a request went wrong: it failed, or was refused where the recording was not. */
export function isError(status: number, expected: number): boolean {
  return status === 0 || status >= 500 || (status >= 400 && expected < 400);
}
