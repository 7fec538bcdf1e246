import type { V1Job, V1OwnerReference } from '@kubernetes/client-node';
import { laneLabel, laneName, managedLabel, manager } from './lane-labels.ts';

/**
 * A Job without pods that owns everything of a lane. At its deadline the Job controller fails it,
 * the TTL controller deletes it, and the garbage collector deletes what it owns: a lane ends on
 * time although nothing of Surety runs any more.
 */
export function laneTimer(lane: string, seconds: number): V1Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: laneName(lane), labels: { [managedLabel]: manager, [laneLabel]: lane } },
    spec: {
      parallelism: 0,
      activeDeadlineSeconds: seconds,
      ttlSecondsAfterFinished: 0,
      template: {
        metadata: { labels: { [managedLabel]: manager, [laneLabel]: lane } },
        // Never started: a Job needs a template, and this one asks for no pod.
        spec: { restartPolicy: 'Never', containers: [{ name: 'timer', image: 'none' }] },
      },
    },
  };
}

/** What is owned goes with its owner; `blockOwnerDeletion` would need a right of its own. */
export function ownedBy({ metadata }: V1Job): V1OwnerReference {
  const { name = '', uid = '' } = metadata ?? {};
  return { apiVersion: 'batch/v1', kind: 'Job', name, uid };
}
