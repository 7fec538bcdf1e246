import { type CallTree, type Hop, requestPaths } from '../../lanes/index.ts';
import type { Recording } from './recording.ts';

/** The calls that one call led to, in their order. */
export interface Served {
  readonly hop: Hop;
  readonly calls: readonly Hop[];
}

/** Every call of every request, with what it led to. */
export function servedOf({ hops }: Recording): Served[] {
  const walk = ({ hop, calls }: CallTree): Served[] => [
    { hop, calls: calls.map((call) => call.hop) },
    ...calls.flatMap(walk),
  ];
  // What was told of a timer is no call that went anywhere.
  const seen = hops.filter(({ method }) => method !== 'timer');
  return requestPaths(seen).flatMap(({ calls }) => calls.flatMap(walk));
}
