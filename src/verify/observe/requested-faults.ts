import { type Call, type Hop, requestPaths } from '../../lanes/index.ts';

/**
 * Pure. Every hop under the faults that its request asked for when it came from outside: what a
 * service writes there by itself, or leaves out, gives its calls no name under which nothing is
 * compared, and what goes wrong by it is its own doing.
 */
export function withAskedFaults(hops: readonly Hop[]): Hop[] {
  const named = new Map<Hop, Hop>();
  const walk = ({ hop, calls }: Call, asked: string | undefined): void => {
    named.set(hop, under(hop, asked));
    for (const call of calls) walk(call, asked);
  };
  for (const { calls } of requestPaths(hops)) {
    for (const root of calls) walk(root, root.hop.from === null ? root.hop.faults : undefined);
  }
  return hops.map((hop) => named.get(hop) ?? hop);
}

function under(hop: Hop, asked: string | undefined): Hop {
  if (hop.faults === asked) return hop;
  const { faults: _, injected: __, lostStatus: ___, ...plain } = hop;
  return asked === undefined ? plain : { ...plain, faults: asked };
}
