/** A right that Surety needs in the namespace of the system. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly purpose: string;
}

const run = 'runs candidates and controls';
const gateway = 'gateway.networking.k8s.io';

/** Everything that lanes do in the cluster; Role and `kubernetes check` follow it. */
export const laneRights: readonly Right[] = [
  { group: 'apps', resource: 'deployments', verbs: ['get', 'create', 'delete'], purpose: run },
  {
    group: 'batch',
    resource: 'jobs',
    verbs: ['get', 'create', 'patch', 'delete'],
    purpose: 'ends lanes on time',
  },
  { group: '', resource: 'configmaps', verbs: ['create', 'delete'], purpose: 'mounts the preload' },
  {
    group: '',
    resource: 'secrets',
    verbs: ['create', 'delete'],
    purpose: 'hands keys to candidates',
  },
  {
    group: '',
    resource: 'services',
    verbs: ['list', 'create', 'delete'],
    purpose: 'routes to candidates',
  },
  {
    group: '',
    resource: 'pods',
    verbs: ['list', 'watch'],
    purpose: 'finds out whether candidates run',
  },
  { group: '', resource: 'pods/log', verbs: ['get'], purpose: 'reads their logs' },
  { group: '', resource: 'events', verbs: ['list'], purpose: 'explains why a pod does not start' },
];

/** Needed only where `kubernetes.routes` names gateways. */
export const routeRights: readonly Right[] = ['httproutes', 'grpcroutes'].map((resource) => ({
  group: gateway,
  resource,
  verbs: ['get', 'create', 'delete'],
  purpose: 'routes requests with a lane’s key',
}));

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export function policyRules(rights: readonly Right[]): PolicyRule[] {
  return rights.map(({ group, resource, verbs }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs,
  }));
}

/** Each right with each of its verbs, as an access review asks for it. */
export function accessReviews(rights: readonly Right[], namespace: string) {
  return rights.flatMap(({ group, resource: written, verbs, purpose }) => {
    const [resource = '', subresource] = written.split('/');
    return verbs.map((verb) => ({
      right: `${verb} ${written}`,
      purpose,
      attributes: { namespace, group, resource, verb, ...(subresource ? { subresource } : {}) },
    }));
  });
}
