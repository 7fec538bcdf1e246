import { approvalAttempts } from './approvals.attempts.ts';
import type { Attempt, Surfaces } from './attempt.ts';
import { callAttempts } from './calls.attempts.ts';
import { grantAttempts } from './grants.attempts.ts';
import type { GuardedScene } from './guarded-scene.ts';
import { bodyAttempts, framingAttempts, pageAttempts, tokenAttempts } from './requests.attempts.ts';
import { agentRoleAttempts, personAttempts } from './roles.attempts.ts';
import { taskAttempts } from './tasks.attempts.ts';

/** Attempts against a daemon with a policy. */
export const daemonSurfaces: Surfaces<GuardedScene> = {
  tokens: tokenAttempts,
  'framing of requests': framingAttempts,
  'bodies of requests': bodyAttempts,
  'web pages': pageAttempts,
  roles: [...personAttempts, ...agentRoleAttempts],
  grants: grantAttempts,
  tasks: taskAttempts,
  approvals: approvalAttempts,
  calls: callAttempts,
};

/** The attempts of all surfaces, with the test that makes them. */
export const attempts: readonly (Omit<Attempt<never>, 'attack'> & { readonly file: string })[] =
  Object.values(daemonSurfaces)
    .flat()
    .map(({ attack: _, ...attempt }) => ({ ...attempt, file: 'tests/attacks/daemon.test.ts' }));
