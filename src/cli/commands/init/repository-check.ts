import { spawnSync } from 'node:child_process';
import { fault } from '../../../kernel/index.ts';
import type { TrialStep } from './try-system.ts';

/** Lanes and versions are made from commits: without one, there is nothing to run. */
export function checkCommitted(root: string): TrialStep | undefined {
  const { status } = spawnSync('git', ['rev-parse', '--verify', '--quiet', 'HEAD'], {
    cwd: root,
    stdio: 'ignore',
  });
  if (status === 0) return undefined;
  const missing = fault('COMMIT_MISSING', { directory: root });
  return { step: 'start', isGood: false, text: missing.message, fault: missing.report() };
}
