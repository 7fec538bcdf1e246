import type { Profile } from '../pipeline/profile.ts';
import type { Verdict } from './verdict.ts';

/** All of a verdict but what it says, where no request was sent. */
export function nothingSeen(profile: Profile, reason: string): Omit<Verdict, 'verdict' | 'reason'> {
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
