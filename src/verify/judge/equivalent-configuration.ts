import { isFault } from '../../kernel/index.ts';
import type { Lanes } from '../../lanes/index.ts';
import type { Profile, Verdict } from '../api-schema.ts';
import type { VerifyRequest } from '../pipeline/request.ts';

/**
 * No lane can be opened for a change that only rewrites surety.yaml without changing its meaning.
 * With a test it is an error: such a change can't make the test pass.
 */
export async function judgeSameConfiguration(
  error: unknown,
  { patch, base, test, profile = 'quick' }: VerifyRequest,
  lanes: Pick<Lanes, 'factsOf'>,
): Promise<Verdict & { services: readonly string[] }> {
  if (!isFault(error, 'CHANGE_TOUCHES_NO_SERVICE') || test) throw error;
  // Throws the same fault for files that belong to no service: their effect is unknown.
  const { services } = await lanes.factsOf({ patch, base });
  const reason = 'no service is affected: the meaning of surety.yaml has not changed';
  return { verdict: 'pass', reason, ...noObservation(profile, 'nothing is changed'), services };
}

/** The parts of a verdict that stay empty if no request was sent. */
export function noObservation(
  profile: Profile,
  reason: string,
): Omit<Verdict, 'verdict' | 'reason'> {
  return {
    findings: [],
    findingsOmitted: 0,
    notices: [],
    reach: { proven: false, reason, candidates: [], hops: 0, silent: [], lost: [] },
    calls: [],
    checks: { passed: 0, failed: 0 },
    profile,
    signals: [],
  };
}
