import { fault } from '../../../kernel/index.ts';

/** The profile of a verification, from a flag. */
export function readProfile(given: string): 'quick' | 'full' {
  if (given === 'quick' || given === 'full') return given;
  const reason = `--profile takes quick or full, not "${given}"`;
  throw fault('USAGE', { reason, help: 'surety verify --help' });
}
