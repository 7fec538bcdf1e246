import { type Actor, fault, type Role } from '../../kernel/index.ts';
import type { ProbePlacement } from '../../probes/index.ts';
import type { Config } from '../../system/index.ts';

type Asked = Pick<ProbePlacement, 'service' | 'lane' | 'pid' | 'allowProduction'>;

/** Who asks for a probe. */
export interface ProbeAsker {
  readonly actor: Actor;
  readonly roles: readonly Role[];
}

/**
 * A probe in production needs a person with a role, who says that it is meant. A lane's candidate
 * serves nobody but the lane. A process by its number can be any of this user's, also an editor.
 */
export function checkConsent(
  config: Pick<Config, 'probes' | 'environment'>,
  { actor, roles }: ProbeAsker,
  { service, lane, pid, allowProduction }: Asked,
): void {
  const mayPlace = roles.includes('operator') || roles.includes('admin');
  if (pid !== undefined && !mayPlace) {
    const reason = 'to name a process by its number needs the role operator';
    throw fault('PROBE_NOT_PERMITTED', { pid, reason });
  }
  const isCandidate = lane !== undefined && pid === undefined;
  if (isCandidate || !isProduction(config, service)) return;
  if (!actor.startsWith('agent:') && mayPlace && allowProduction) return;
  throw fault('PROBE_PRODUCTION', { service: service ?? 'that process' });
}

/** A process that is no service of ours could be any of them. */
function isProduction(
  { probes, environment }: Pick<Config, 'probes' | 'environment'>,
  service: string | undefined,
): boolean {
  const { production = environment === 'production' } = probes;
  if (typeof production === 'boolean') return production;
  return service === undefined ? production.length > 0 : production.includes(service);
}
