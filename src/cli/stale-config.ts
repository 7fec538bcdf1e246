import { statSync } from 'node:fs';

/** The daemon reads surety.yaml when it starts. This warns if the file was edited since. */
export function staleConfig(configFile: string, startedAt: number): string[] {
  const written = statSync(configFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (written <= startedAt) return [];
  return [
    'surety.yaml was written after the daemon had read it; it counts from its next start on:',
    '    surety down && surety up && surety system up',
  ];
}
