import { type DecisionInput, valuesOf } from '../decision/index.ts';
import { type EvidenceFact, evidenceFact } from '../evidence.ts';

/** What a call would show if it went well, and what has to come true for that. */
export interface AssumedOutcome {
  readonly gathered: readonly EvidenceFact[];
  readonly assumes: readonly string[];
}

/** A result that nobody has yet: conditions on it are taken to hold, and that is said. */
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
