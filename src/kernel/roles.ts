import type { Actor } from './act.ts';

/**
 * What somebody is here for. Each operation of the API says which roles may call it; `admin` may
 * call them all. Whether an agent may have an effect, the gate decides besides.
 */
export const roles = [
  'viewer',
  'agent',
  'developer',
  'operator',
  'approver',
  'auditor',
  'reporter',
  'admin',
] as const;

export type Role = (typeof roles)[number];

/** Where a token is valid. Telemetry has keys of its own. */
export const surfaces = ['api', 'mcp'] as const;

export type Surface = (typeof surfaces)[number];

/** Who calls, and as what. */
export interface Identity {
  readonly actor: Actor;
  readonly roles: readonly Role[];
}

export function hasRole(have: readonly Role[], wanted: readonly Role[]): boolean {
  return have.includes('admin') || wanted.some((role) => have.includes(role));
}
