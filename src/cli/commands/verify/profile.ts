import { fault } from '../../../kernel/index.ts';

/** How much a verification looks at, as given by a flag. */
export function readProfile(given: string): 'quick' | 'full' {
  if (given === 'quick' || given === 'full') return given;
  const reason = `--profile takes quick or full, not "${given}"`;
  throw fault('USAGE', { reason, help: 'surety verify --help' });
}
