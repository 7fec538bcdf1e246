import type { CodingRule } from '../language/index.ts';

/** What one rule says about a call. */
export interface CodingRuling {
  /** `control`: the hooks and policies themselves, which no setting opens to agents. */
  readonly rule: CodingRule | 'control';
  readonly verdict: 'hold' | 'deny';
  readonly reason: string;
  readonly remedy: string;
}
