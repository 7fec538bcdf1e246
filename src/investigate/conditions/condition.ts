import type { CauseCondition } from '../api-schema.ts';

const texts = {
  configuration: {
    mechanism: 'a value of the environment is another one than before',
    confirms:
      'the symptom ends in a lane with the previous value alone, and stays in a fresh copy with the present one',
    refutes: 'the symptom stays with the previous value',
    cost: 'two lanes and nine runs of the failing suites',
  },
  dependency: {
    mechanism: 'a service that others call does not run',
    confirms:
      'it refuses connections, every failing request has a call to it without an answer, and the symptom ends in a lane with a copy of it',
    refutes: 'it answers, or the symptom stays with a copy of it',
    cost: 'one lane and four runs of the failing suites',
  },
} as const;

/** A hypothesis about a cause that is no change of the code. */
export function conditionOf(
  kind: keyof typeof texts,
  facts: Pick<CauseCondition, 'id' | 'statement' | 'service' | 'variable'>,
): CauseCondition {
  return { ...facts, class: kind, ...texts[kind], status: 'open', place: null, evidence: [] };
}

export function concluded(
  condition: CauseCondition,
  status: CauseCondition['status'],
  ...facts: readonly string[]
): CauseCondition {
  return { ...condition, status, evidence: [...condition.evidence, ...facts] };
}
