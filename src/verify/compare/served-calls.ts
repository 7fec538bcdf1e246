import { type CallTree, type Hop, requestPaths } from '../../lanes/index.ts';
import type { VersionRecording } from './recording.ts';

/** A call, and the calls that it led to, in order. */
export interface ServedCall {
  readonly hop: Hop;
  readonly calls: readonly Hop[];
}

/** Every call of every request, with what it led to. */
export function servedCalls({ hops }: VersionRecording): ServedCall[] {
  const walk = ({ hop, calls }: CallTree): ServedCall[] => [
    { hop, calls: calls.map((call) => call.hop) },
    ...calls.flatMap(walk),
  ];
  // A timer is recorded as a hop, but is not a call.
  const realHops = hops.filter(({ method }) => method !== 'timer');
  return requestPaths(realHops).flatMap(({ calls }) => calls.flatMap(walk));
}
