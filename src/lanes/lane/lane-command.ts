import type { ServiceConfig } from '../../system/index.ts';

/** What starts a candidate of a service that runs elsewhere; a pod is derived, not started. */
export function laneCommand({ command, kubernetes }: ServiceConfig['lane']): string | undefined {
  return command ?? (kubernetes && `pod of ${kubernetes.deployment}`);
}
