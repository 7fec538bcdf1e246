import { managedLabel } from '../objects/lane-labels.ts';
import { laneRights, policyRules, routeRights } from '../objects/rights.ts';

export interface ManifestOptions {
  /** Where the system runs. */
  readonly namespace: string;
  /** Where the daemon runs, with the account that gets the rights. */
  readonly daemonNamespace: string;
  readonly account: string;
  readonly hasRoutes: boolean;
}

const labels = { 'app.kubernetes.io/name': 'surety', [managedLabel]: 'surety' };

/** The account of the daemon with exactly the rights that lanes need, in one namespace. */
export function daemonManifests(options: ManifestOptions): object[] {
  const { namespace, daemonNamespace, account, hasRoutes } = options;
  const rights = [...laneRights, ...(hasRoutes ? routeRights : [])];
  return [
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: account, namespace: daemonNamespace, labels },
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'surety-lanes', namespace, labels },
      rules: policyRules(rights),
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'surety-lanes', namespace, labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'surety-lanes' },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: daemonNamespace }],
    },
  ];
}
