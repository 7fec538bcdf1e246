import { fault } from '../../kernel/index.ts';

const modes = ['shared', 'own', 'auto'] as const;

/** The value of `--callers`. */
export function readCallerMode(given: string | boolean, command: string): (typeof modes)[number] {
  const mode = modes.find((one) => one === given);
  if (mode !== undefined) return mode;
  const reason = `--callers takes shared, own or auto, not "${given}"`;
  throw fault('USAGE', { reason, help: `surety ${command} --help` });
}
