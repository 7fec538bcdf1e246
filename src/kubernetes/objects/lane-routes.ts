import type { V1OwnerReference, V1Service } from '@kubernetes/client-node';
import { type LanePod, laneLabel, laneLabels, objectName, serviceLabel } from './lane-labels.ts';

/** The Service of a candidate, for the gateway: its pods count although they are never ready. */
export function laneService(pod: LanePod, port: number, owner: V1OwnerReference): V1Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: objectName(pod), labels: laneLabels(pod), ownerReferences: [owner] },
    spec: {
      selector: { [laneLabel]: pod.lane, [serviceLabel]: pod.service },
      publishNotReadyAddresses: true,
      ports: [{ name: 'service', port, targetPort: port }],
    },
  };
}

export interface RouteRequest extends LanePod {
  readonly owner: V1OwnerReference;
  readonly port: number;
  readonly protocol: string;
  /** The gateways, or the Service of a mesh (GAMMA), that the route is attached to. */
  readonly parents: readonly RouteParent[];
  readonly hostnames?: readonly string[];
  /** A header that carries nothing but the key. */
  readonly header?: string | undefined;
}

export interface RouteParent {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly sectionName?: string | undefined;
  /** `Gateway` by default; `Service` for a mesh. */
  readonly kind?: 'Gateway' | 'Service' | undefined;
}

export interface LaneRoute {
  readonly apiVersion: 'gateway.networking.k8s.io/v1';
  readonly kind: 'HTTPRoute' | 'GRPCRoute';
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly ownerReferences: readonly V1OwnerReference[];
  };
  readonly spec: {
    readonly parentRefs: readonly object[];
    readonly hostnames?: readonly string[];
    readonly rules: readonly RouteRule[];
  };
}

interface RouteRule {
  readonly matches: readonly { readonly headers: readonly HeaderMatch[] }[];
  readonly backendRefs: readonly { readonly name: string; readonly port: number }[];
}

export interface HeaderMatch {
  readonly type: 'Exact' | 'RegularExpression';
  readonly name: string;
  readonly value: string;
}

/** One route per lane and service; without a header of its own, by the key in the baggage. */
export function laneRoute(request: RouteRequest): LaneRoute {
  const { lane, port, protocol, parents, hostnames = [], header, owner } = request;
  const name = objectName(request);
  const matches = [
    ...(header === undefined ? [] : [{ type: 'Exact', name: header, value: lane } as const]),
    baggageMatch(lane),
  ];
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: protocol === 'grpc' ? 'GRPCRoute' : 'HTTPRoute',
    metadata: { name, labels: laneLabels(request), ownerReferences: [owner] },
    spec: {
      parentRefs: parents.map(parentReference),
      ...(hostnames.length > 0 ? { hostnames } : {}),
      rules: [
        { matches: matches.map((one) => ({ headers: [one] })), backendRefs: [{ name, port }] },
      ],
    },
  };
}

/**
 * Some implementations match the whole header, others look for the expression anywhere in it,
 * others split the list at its commas first. This one gives the same answer in all three.
 */
export function baggageMatch(lane: string): HeaderMatch {
  const value = `^(.*,)?[ \\t]*surety-lane[ \\t]*=[ \\t]*${lane}[ \\t]*([,;].*)?$`;
  return { type: 'RegularExpression', name: 'baggage', value };
}

function parentReference({ name, namespace, sectionName, kind = 'Gateway' }: RouteParent): object {
  return {
    group: kind === 'Service' ? '' : 'gateway.networking.k8s.io',
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(sectionName === undefined ? {} : { sectionName }),
  };
}

/** What a gateway writes about a route that it knows. */
export interface RouteStatus {
  readonly parents?: readonly {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  }[];
}

export type RouteState =
  | { readonly state: 'accepted' | 'waiting' }
  | { readonly state: 'refused'; readonly reason: string };

/** Accepted by every parent that has said something, with all references resolved. */
export function routeState(status: RouteStatus | undefined): RouteState {
  const conditions = (status?.parents ?? []).flatMap((parent) => parent.conditions ?? []);
  const told = conditions.filter(({ type }) => type === 'Accepted' || type === 'ResolvedRefs');
  const bad = told.find(({ status: value }) => value === 'False');
  if (bad) return { state: 'refused', reason: `${bad.reason}: ${bad.message ?? ''}`.trim() };
  const isAccepted = told.some(
    ({ type, status: value }) => type === 'Accepted' && value === 'True',
  );
  return { state: isAccepted ? 'accepted' : 'waiting' };
}
