import { type CallTree, type Hop, requestPaths } from '../../lanes/index.ts';
import { isSafe } from '../compare/index.ts';
import type { Prepared } from './at-once.ts';

/** What goes wrong with one request on its way, before its client sends it again. */
export interface SweptFault {
  readonly steps: Prepared;
  /** Who calls whom, as in `orders>payments`. */
  readonly hop: string;
  /** Served, and nobody was told; or refused before it is served. */
  readonly kind: 'lost' | 'status=503';
  /** No changed service waits for this call: whatever else it does is not cut short by it. */
  readonly isWhole: boolean;
  /** A changed service calls or is called. */
  readonly isClose: boolean;
}

interface SweptServices {
  /** Those that the change is about. */
  readonly changed: readonly string[];
  /** Those that run for the lane alone: the changed ones, and copies beside them. */
  readonly own: readonly string[];
}

/**
 * Pure: what can go wrong on the way that a request was seen to take. A fault is felt by who made
 * the call: never by a process that others use too, whose circuit breaker would open for everybody.
 */
export function faultsOn(
  steps: Prepared,
  hops: readonly Hop[],
  { changed: services, own }: SweptServices,
): SweptFault[] {
  const faults = new Map<string, SweptFault>();
  for (const { hop, callers } of callsIn(hops)) {
    if (hop.protocol === 'message' || hop.protocol === 'websocket') continue;
    if (hop.from !== null && !own.includes(hop.from)) continue;
    const name = hopOf(hop);
    const isWhole = !callers.some((one) => services.includes(one));
    const isClose = services.includes(hop.to) || services.includes(hop.from ?? '');
    for (const kind of kindsOf(hop)) {
      faults.set(`${name} ${kind}`, { steps, hop: name, kind, isWhole, isClose });
    }
  }
  return [...faults.values()];
}

export function hopOf({ from, to }: Pick<Hop, 'from' | 'to'>): string {
  return `${from ?? 'outside'}>${to}`;
}

/**
 * What is refused at the door has come to nobody. Where one only asks, to be asked in vain and to
 * lose the answer is the same.
 */
function kindsOf(hop: Hop): SweptFault['kind'][] {
  if (hop.from === null) return ['lost'];
  return isSafe(hop) ? ['status=503'] : ['lost', 'status=503'];
}

interface Placed {
  readonly hop: Hop;
  /** Services that wait for it. */
  readonly callers: readonly string[];
}

function callsIn(hops: readonly Hop[]): Placed[] {
  const placed: Placed[] = [];
  const walk = (calls: readonly CallTree[], callers: readonly string[]): void => {
    for (const { hop, calls: made } of calls) {
      placed.push({ hop, callers });
      walk(made, [...callers, hop.to]);
    }
  };
  for (const { calls } of requestPaths(hops)) walk(calls, []);
  return placed;
}

/** The calls at this hop, and all that were made for them. */
export function callsBehind(hop: string, hops: readonly Hop[]): { at: Hop[]; below: Hop[] } {
  const at: Hop[] = [];
  const below: Hop[] = [];
  const walk = (calls: readonly CallTree[], isBelow: boolean): void => {
    for (const { hop: one, calls: made } of calls) {
      const isAt = hopOf(one) === hop;
      if (isAt) at.push(one);
      else if (isBelow) below.push(one);
      walk(made, isBelow || isAt);
    }
  };
  for (const { calls } of requestPaths(hops)) walk(calls, false);
  return { at, below };
}
