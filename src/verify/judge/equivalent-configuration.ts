import { isFault } from '../../kernel/index.ts';
import type { Lanes } from '../../lanes/index.ts';
import type { Profile } from '../pipeline/profile.ts';
import type { SubmittedTest } from '../suites/submitted-test.ts';
import { nothingSeen } from './empty-observation.ts';
import type { Verdict } from './verdict.ts';

interface Asked {
  readonly patch: string;
  readonly base: string;
  readonly test?: SubmittedTest | undefined;
  readonly profile?: Profile | undefined;
}

/**
 * No lane can be opened for a change that says in other words what surety.yaml said before. Where
 * it comes with a test, that was to be made to hold, and by such a change it is not.
 */
export async function judgeSameMeaning(
  error: unknown,
  { patch, base, test, profile = 'quick' }: Asked,
  lanes: Pick<Lanes, 'factsOf'>,
): Promise<Verdict & { services: readonly string[] }> {
  if (!isFault(error, 'CHANGE_TOUCHES_NO_SERVICE') || test) throw error;
  // Throws the same for files that belong to nobody: what they do is not known.
  const { services } = await lanes.factsOf({ patch, base });
  const reason = 'no service runs otherwise: surety.yaml means what it meant before';
  return { verdict: 'pass', reason, ...nothingSeen(profile, 'nothing is changed'), services };
}
