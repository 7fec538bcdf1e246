import type { ChangeFacts, Lanes } from '../../lanes/index.ts';
import type { SubmittedTest } from '../suites/submitted-test.ts';
import type { GivenRequest } from '../traffic/index.ts';
import type { PairRequest } from './lane-pair.ts';
import type { Profile } from './profile.ts';

export interface VerifyRequest {
  readonly patch: string;
  readonly base: string;
  /** Which suites; all of them if left out. */
  readonly suites?: readonly string[] | undefined;
  /** A test that fails on the baseline and must pass on the change. */
  readonly test?: SubmittedTest | undefined;
  /** Requests to compare and measure in addition to those of the suites. */
  readonly traffic?: readonly GivenRequest[] | undefined;
  /** False: without recorded traffic of the baseline. */
  readonly recorded?: boolean | undefined;
  /** `quick` if left out. */
  readonly profile?: Profile | undefined;
  /** Whether to leave out each hunk once, to find those that nothing needs. */
  readonly unnecessary?: boolean | undefined;
  /** Nothing is changed: these services are restarted, and every finding is a false alarm. */
  readonly restarted?: readonly string[] | undefined;
}

/** What a verdict is about: a change, or services that are restarted unchanged. */
export type VerifySubject = Pick<VerifyRequest, 'patch' | 'base' | 'restarted'>;

export function pairOf({ patch, base, restarted }: VerifySubject): PairRequest {
  return restarted ? { base, services: restarted } : { base, patch };
}

/** The diff of the change, as git prints it. */
export async function diffOf(
  { patch, base, restarted }: VerifySubject,
  lanes: Pick<Lanes, 'diffOf'>,
): Promise<string> {
  return restarted ? '' : lanes.diffOf({ patch, base });
}

export async function factsOf(
  { patch, base, restarted }: VerifySubject,
  lanes: Pick<Lanes, 'factsOf'>,
): Promise<ChangeFacts> {
  if (restarted) return { files: [], services: [...restarted], kinds: [] };
  return lanes.factsOf({ patch, base });
}
