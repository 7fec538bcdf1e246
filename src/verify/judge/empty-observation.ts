import type { Profile, Verdict } from '../api-schema.ts';

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
