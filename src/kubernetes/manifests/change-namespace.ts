import { fault } from '../../kernel/index.ts';
import { kubernetesLimits } from '../limits.ts';
import { managedLabel, manager } from '../objects/lane-labels.ts';

export const purposeLabel = 'purpose';
export const purpose = 'agent-validation';
export const ttlLabel = 'ttl';

export interface ChangeNamespace {
  readonly task: string;
  readonly minutes: number;
}

/** A namespace of one change: everything in it ends with it, and no change can take the cluster. */
export function changeNamespace({ task, minutes }: ChangeNamespace): object[] {
  const { namespaceMinutesMax, taskCharactersMax } = kubernetesLimits;
  const help = 'surety kubernetes namespace --help';
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(task) || task.length > taskCharactersMax) {
    const reason = `a task has 1 to ${taskCharactersMax} lower-case letters, digits and dashes, unlike "${task}"`;
    throw fault('USAGE', { reason, help });
  }
  if (minutes < 1 || minutes > namespaceMinutesMax) {
    throw fault('USAGE', { reason: `--minutes is from 1 to ${namespaceMinutesMax}`, help });
  }
  const namespace = `agent-task-${task}`;
  return [namespaceObject(namespace, minutes), quota(namespace), defaults(namespace)];
}

function namespaceObject(name: string, minutes: number): object {
  const labels = { [purposeLabel]: purpose, [ttlLabel]: `${minutes}m`, [managedLabel]: manager };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

function quota(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'agent-validation-quota', namespace },
    spec: {
      hard: {
        'requests.cpu': '4',
        'requests.memory': '8Gi',
        pods: '20',
      },
    },
  };
}

/** Under a quota of requests, a pod that asks for nothing would be refused. */
function defaults(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'agent-validation-defaults', namespace },
    spec: {
      limits: [
        {
          type: 'Container',
          defaultRequest: { cpu: '50m', memory: '64Mi' },
          default: { memory: '512Mi' },
        },
      ],
    },
  };
}
