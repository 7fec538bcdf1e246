import type { ChangeFacts, Lanes } from '../../lanes/index.ts';
import type { VerdictRequest } from '../api-schema.ts';
import type { PairRequest } from './lane-pair.ts';

type VerifyOptions =
  | 'callers'
  | 'intended'
  | 'suites'
  | 'test'
  | 'traffic'
  | 'recorded'
  | 'profile'
  | 'ref'
  | 'unnecessary';

export interface VerifyRequest extends Pick<VerdictRequest, VerifyOptions> {
  readonly patch: string;
  readonly base: string;
  /** Nothing is changed: these services are restarted, and every finding is a false alarm. */
  readonly restarted?: readonly string[] | undefined;
}

/** What a verdict is about: a change, or services that are restarted unchanged. */
type VerifySubject = Pick<VerifyRequest, 'patch' | 'base' | 'restarted'>;

export function pairOf({
  patch,
  base,
  restarted,
  callers,
}: VerifySubject & Pick<VerifyRequest, 'callers'>): Omit<PairRequest, 'watched'> {
  return { ...(restarted ? { base, services: restarted } : { base, patch }), callers };
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
