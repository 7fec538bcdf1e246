import { type CallTree, type Hop, requestPaths } from '../../lanes/index.ts';
import { isSafe } from '../compare/index.ts';
import type { PreparedSteps } from './concurrent-requests.ts';

/** A fault to inject on the way of one request, before its client retries. */
export interface PlannedFault {
  readonly steps: PreparedSteps;
  /** Caller and callee: `orders>payments`. */
  readonly hop: string;
  /** The answer is lost after it was served, or the call is refused before. */
  readonly kind: 'lost' | 'status=503';
  /** No changed service waits for this call, so the fault cuts none of their work short. */
  readonly isWhole: boolean;
  /** A changed service is caller or callee. */
  readonly isClose: boolean;
}

interface ServiceSets {
  /** Services that the change touches. */
  readonly changed: readonly string[];
  /** Services that run for the lane alone: changed ones and unchanged copies. */
  readonly own: readonly string[];
}

/**
 * Pure: the faults to inject on the path that a request took. A fault affects the caller, which
 * must not be a shared process: its circuit breaker would open for everybody.
 */
export function planFaults(
  steps: PreparedSteps,
  hops: readonly Hop[],
  { changed: services, own }: ServiceSets,
): PlannedFault[] {
  const faults = new Map<string, PlannedFault>();
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

function hopOf({ from, to }: Pick<Hop, 'from' | 'to'>): string {
  return `${from ?? 'outside'}>${to}`;
}

/** A request refused at the ingress reaches no service. For a read, both kinds are the same. */
function kindsOf(hop: Hop): PlannedFault['kind'][] {
  if (hop.from === null) return ['lost'];
  return isSafe(hop) ? ['status=503'] : ['lost', 'status=503'];
}

interface PlacedCall {
  readonly hop: Hop;
  /** Services that wait for the call. */
  readonly callers: readonly string[];
}

function callsIn(hops: readonly Hop[]): PlacedCall[] {
  const placed: PlacedCall[] = [];
  const walk = (calls: readonly CallTree[], callers: readonly string[]): void => {
    for (const { hop, calls: made } of calls) {
      placed.push({ hop, callers });
      walk(made, [...callers, hop.to]);
    }
  };
  for (const { calls } of requestPaths(hops)) walk(calls, []);
  return placed;
}

/** The calls at this hop, and all calls below them. */
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
