import { statSync } from 'node:fs';

/**
 * What an edit of surety.yaml needs to count, if the file was edited since the daemon started. Only
 * the description of the system is read again while the daemon runs.
 */
export function staleConfig(configFile: string, startedAt: number): string[] {
  const written = statSync(configFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (written <= startedAt) return [];
  return [
    'surety.yaml was edited since the daemon started.',
    '    services, datastores: a running service takes its part by',
    '        surety system restart <service>',
    '    agents, people, lanes, policy and the rest: surety down && surety up',
  ];
}
