import { type CallTree, type Hop, requestPaths } from '../../lanes/index.ts';

/**
 * Pure. Gives every hop the faults that its request asked for when it came from outside. Hops
 * are compared under these: a service that writes or drops the header must not escape that.
 */
export function withRequestedFaults(hops: readonly Hop[]): Hop[] {
  const named = new Map<Hop, Hop>();
  const walk = ({ hop, calls }: CallTree, requested: string | undefined): void => {
    named.set(hop, under(hop, requested));
    for (const call of calls) walk(call, requested);
  };
  for (const { calls } of requestPaths(hops)) {
    for (const root of calls) walk(root, root.hop.from === null ? root.hop.faults : undefined);
  }
  return hops.map((hop) => named.get(hop) ?? hop);
}

function under(hop: Hop, requested: string | undefined): Hop {
  if (hop.faults === requested) return hop;
  const { faults: _, injected: __, lostStatus: ___, ...plain } = hop;
  return requested === undefined ? plain : { ...plain, faults: requested };
}
