/** How the drift monitor is tuned. docs/drift.md explains each. */
export const driftParameters = {
  /** Actions between two tests of a distribution. */
  blockActions: 25,
  /** Two recent windows, in blocks: the short one sees large shifts, the long one small ones. */
  shortBlocks: 4,
  longBlocks: 12,
  /** A reference is used from so many actions on … */
  referenceMin: 100,
  /** … and is learned no further than this. */
  referenceMax: 1_000,
  /** The probability with which one test may raise a false alarm. */
  falseAlarmsMax: 1e-7,
  /** A shift ends when the difference is no rarer than this by chance. */
  calmMin: 1e-3,
  permutations: 400,
  /** Different tools, or outcomes, that are told apart; the others count as one. */
  categoriesMax: 60,
  /** Values from which the usual mean of a scalar signal is learned. */
  scalarReference: 200,
  /** An unchanged signal raises an alarm once in so many values on average, or more rarely. */
  evidenceNeeded: 1e7,
  /** Steps over which compliance counts in the score. */
  scoreSteps: 50,
  /** The weights of the score: 0.6 · (1 − compliance) + 0.4 · divergence. */
  complianceWeight: 0.6,
  divergenceWeight: 0.4,
  warnScore: 0.3,
  criticalScore: 0.6,
  /** Calls among which the same call counts as repeated. */
  repeatCalls: 16,
  /** Soft violations in a row from which an agent has not recovered. */
  recoverySteps: 3,
  /** (p, δ, k)-satisfaction: p and δ; k is `recoverySteps`. */
  satisfiedShare: 0.95,
  softShortfallMax: 0.1,
  /** Without a task, a session ends after this pause. */
  sessionPauseMs: 30 * 60 * 1_000,
} as const;
