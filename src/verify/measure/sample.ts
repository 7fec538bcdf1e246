import type { Hop } from '../../lanes/index.ts';
import type { ScenarioRequest } from '../traffic/index.ts';

/** One request as one version served it. */
export interface RequestSample {
  /** The id of its hop from outside. */
  readonly id: string;
  readonly status: number;
  /** CPU time of the metered services, in their order. */
  readonly cpuUs: readonly number[];
}

/** The same request on both versions. */
export interface SamplePair {
  readonly request: ScenarioRequest;
  readonly control: RequestSample;
  readonly candidate: RequestSample;
}

/**
 * The hops of each request. Requests are sent one after the other, so every hop before the next one
 * belongs to it; not every service passes on request ids.
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

/** Whether a request failed, or was refused though the recorded one was not. */
export function isError(status: number, expected: number): boolean {
  return status === 0 || status >= 500 || (status >= 400 && expected < 400);
}
