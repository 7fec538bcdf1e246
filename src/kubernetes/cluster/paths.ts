/** Where each kind of object is in the API, below a namespace. */
const groups = {
  pods: '/api/v1',
  services: '/api/v1',
  secrets: '/api/v1',
  configmaps: '/api/v1',
  events: '/api/v1',
  resourcequotas: '/api/v1',
  deployments: '/apis/apps/v1',
  jobs: '/apis/batch/v1',
  httproutes: '/apis/gateway.networking.k8s.io/v1',
  grpcroutes: '/apis/gateway.networking.k8s.io/v1',
} as const;

export type Collection = keyof typeof groups;

export function collectionPath(kind: Collection, namespace: string): string {
  return `${groups[kind]}/namespaces/${encodeURIComponent(namespace)}/${kind}`;
}

export function objectPath(kind: Collection, namespace: string, name: string): string {
  return `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
}

/** `selected('pods', 'shop', { app: 'prices' })` */
export function selected(
  kind: Collection,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): string {
  const selector = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return `${collectionPath(kind, namespace)}?labelSelector=${encodeURIComponent(selector.join(','))}`;
}
