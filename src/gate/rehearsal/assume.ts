import { type DecisionInput, valuesOf } from '../decision/index.ts';
import { type EvidenceFact, evidenceFact } from '../evidence.ts';

/** The assumed success of a call, and the conditions that it depends on. */
export interface AssumedOutcome {
  readonly gathered: readonly EvidenceFact[];
  readonly assumes: readonly string[];
}

/** Nobody has the result yet, so conditions on it are assumed to hold, and the answer says so. */
export function assumeResult(question: DecisionInput): AssumedOutcome {
  const gathered: EvidenceFact[] = [];
  const assumes: string[] = [];
  for (const { evidence, subject, when } of question.contract?.produces ?? []) {
    try {
      const about = String(subject.evaluate(valuesOf(question)));
      gathered.push(evidenceFact(evidence, about, null));
      if (when) assumes.push(`it shows ${evidence} for ${about}, if ${when.text}`);
    } catch {
      assumes.push(`it may show ${evidence}, but only its result tells about what`);
    }
  }
  return { gathered, assumes };
}
