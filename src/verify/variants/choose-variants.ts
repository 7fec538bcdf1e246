import { sha256 } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import { verifyLimits } from '../limits.ts';
import type { ChangedCode } from '../line-coverage/change-coverage.ts';
import type { RoundObservations } from '../observe/observe-rounds.ts';
import type { VerificationPlan } from '../pipeline/plan.ts';
import { type IsSafe, safetyOf } from '../traffic/index.ts';
import { hintsOf } from './code-hints.ts';
import { credentialsIn } from './credentials.ts';
import { deriveVariants } from './derive-variants.ts';
import { knownRequests } from './known-requests.ts';
import type { Variant } from './variant.ts';

export interface VariantInput {
  readonly plan: Pick<VerificationPlan, 'control' | 'candidate' | 'changed' | 'profile'>;
  /** Null if nothing is changed. */
  readonly code: ChangedCode | null;
  readonly observations: Pick<RoundObservations, 'compared'>;
}

/** Pure and repeatable: the same change is judged by the same requests. */
export function chooseVariants(
  { plan, code, observations }: VariantInput,
  config: Config,
): readonly Variant[] {
  const mode = config.verify.variants;
  if (code === null || mode === 'off') return [];
  const { rounds } = observations.compared;
  const { scenarios = [], replayed = [], hops = [] } = rounds[0]?.control ?? {};
  const all = [...scenarios, ...replayed];
  const seen = rounds.flatMap(({ control, candidate }) => [...control.hops, ...candidate.hops]);
  const { control, candidate, changed, profile } = plan;
  const isSafe = mode === 'reads' ? isRead : safetyOf(config, [control, candidate], seen);
  const known = knownRequests({ scenarios: all, hops, changed, isSafe }, config);
  const sources = { known, changed, hints: hintsOf(code.files), credentials: credentialsIn(all) };
  const { variantsQuickMax, variantsFullMax } = verifyLimits;
  const limit = profile === 'quick' ? variantsQuickMax : variantsFullMax;
  return deriveVariants(sources, sha256(JSON.stringify(code.watched))).slice(0, limit);
}

const isRead: IsSafe = ({ method }) => method === 'GET' || method === 'HEAD';

/** The most promising of those that differ: the others most likely show the same. */
export function confirmable(suspects: readonly Variant[]): readonly Variant[] {
  return suspects.slice(0, verifyLimits.variantsConfirmedMax);
}
