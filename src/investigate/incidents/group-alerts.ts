import { alertLimits } from '../limits.ts';

/** Calls from one service to another, or to a datastore, and how many of them failed. */
export interface CallEdge {
  readonly caller: string;
  readonly callee: string;
  readonly failed: number;
}

export interface PlacedAlert {
  readonly service: string;
  readonly onset: number;
}

export interface AlertGroup {
  readonly onset: number;
  readonly alerts: readonly PlacedAlert[];
}

/**
 * The group whose cause an alert may share: it began at about the same time, and its origin calls
 * the service of the alert, is called by it, or has the same failing dependency. A common caller is
 * no reason: two services that fail at once below one that calls both are two groups. Pure.
 */
export function groupFor<Group extends AlertGroup>(
  alert: PlacedAlert,
  groups: readonly Group[],
  calls: readonly CallEdge[],
): Group | undefined {
  const near = groups.filter(
    ({ onset }) => Math.abs(onset - alert.onset) <= alertLimits.incidentOnsetMsMax,
  );
  return near.find(({ alerts }) =>
    originsOf(alerts, calls).some(({ service }) => isRelated(service, alert.service, calls)),
  );
}

/** Where a group most likely begins: the service that calls no other one of it, the earliest. */
export function originOf(alerts: readonly PlacedAlert[], calls: readonly CallEdge[]): string {
  const origins = originsOf(alerts, calls).toSorted((left, right) => left.onset - right.onset);
  return origins[0]?.service ?? '';
}

function originsOf(
  alerts: readonly PlacedAlert[],
  calls: readonly CallEdge[],
): readonly PlacedAlert[] {
  const services = new Set(alerts.map(({ service }) => service));
  const deepest = alerts.filter(({ service }) => {
    const below = calledFrom(service, calls);
    return ![...services].some((other) => other !== service && below.has(other));
  });
  // Services that call each other in a circle have no deepest one.
  return deepest.length > 0 ? deepest : alerts;
}

function isRelated(one: string, other: string, calls: readonly CallEdge[]): boolean {
  if (one === other) return true;
  const [below, belowOther] = [calledFrom(one, calls), calledFrom(other, calls)];
  if (below.has(other) || belowOther.has(one)) return true;
  const failing = calls.filter(({ failed }) => failed > 0);
  const failed = calledFrom(one, failing);
  return [...calledFrom(other, failing)].some((callee) => failed.has(callee));
}

/** What a service calls, and what that calls, and so on. */
function calledFrom(service: string, calls: readonly CallEdge[]): Set<string> {
  const found = new Set<string>();
  const open = [service];
  for (let caller = open.pop(); caller !== undefined; caller = open.pop()) {
    for (const { callee } of calls.filter((call) => call.caller === caller)) {
      if (found.has(callee)) continue;
      found.add(callee);
      open.push(callee);
    }
  }
  return found;
}
