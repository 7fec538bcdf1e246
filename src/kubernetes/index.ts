export { type ClusterCheck, checkCluster } from './check/check-cluster.ts';
export { endLane, extendLane } from './end-lane.ts';
export { changeNamespace } from './manifests/change-namespace.ts';
export { daemonManifests } from './manifests/daemon-manifests.ts';
export { formatManifests } from './manifests/format-manifests.ts';
export { reapNamespaces } from './reap-namespaces.ts';
export { type PodReport, type PodRun, podRunVariable, readPodReport } from './run/pod-run.ts';
export { podRunMain } from './run-main.ts';
