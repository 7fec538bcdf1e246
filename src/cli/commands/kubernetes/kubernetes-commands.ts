import type { Command } from '../../command.ts';

export const kubernetesCommands: readonly Command[] = [
  {
    name: 'kubernetes check',
    summary: 'Say what lanes in the cluster need and what is missing, rights included',
    examples: ['surety kubernetes check', 'surety kubernetes check --json'],
    load: async () => (await import('./check.ts')).run,
  },
  {
    name: 'kubernetes manifests',
    summary: 'Print the account and the Role with exactly the rights that lanes need',
    options: [
      ['--daemon-namespace <name>', 'where the daemon runs (default: surety)'],
      ['--account <name>', 'its service account (default: surety)'],
    ],
    examples: ['surety kubernetes manifests | kubectl apply -f -'],
    load: async () => (await import('./manifests.ts')).run,
  },
  {
    name: 'kubernetes namespace',
    summary: 'Print a namespace of its own for one change, with a lifetime and a quota',
    arguments: [['<task>', 'the name of the change, in lower-case letters, digits and dashes']],
    options: [['--minutes <count>', 'its lifetime (default: 30)']],
    examples: ['surety kubernetes namespace 4711 | kubectl apply -f -'],
    load: async () => (await import('./namespace.ts')).run,
  },
  {
    name: 'kubernetes reap',
    summary: 'Delete the namespaces of changes whose lifetime is over',
    options: [['--context <name>', 'the context of the kubeconfig']],
    examples: ['surety kubernetes reap', 'surety kubernetes reap --json'],
    load: async () => (await import('./reap.ts')).run,
  },
];
