export const probeLimits = {
  /** Expressions that one probe evaluates at each hit. */
  probeExpressionsMax: 10,
  /** One expression of a probe. */
  probeExpressionCharsMax: 256,
  /** Captures of one probe. */
  probeHitsMax: 1_000,
  /** Lifetime of one probe. */
  probeTtlMsMax: 10 * 60 * 1_000,
  /** Pauses of the process by one probe per second. Hits in between are not captured. */
  probePausesPerSecondMax: 10,
  /** One pause. A probe that takes longer is aborted, and the process continues. */
  probePauseMsMax: 500,
  /** All pauses by one probe together. Then it ends. */
  probeStallMsMax: 5_000,
  /** Evaluation of one expression in the process. */
  probeEvaluationMsMax: 20,
  /** Time from SIGUSR1 until the inspector's port is open. */
  probeOpenMsMax: 5_000,
  /** One answer of the inspector. */
  probeAnswerMsMax: 5_000,
  /** Nesting depth of a captured value. */
  probeValueDepthMax: 3,
  /** Properties of one object, or items of one array, in a capture. */
  probeValueMembersMax: 20,
  /** Values inside one captured value. */
  probeValueNodesMax: 100,
  /** All strings inside one captured value, before they are redacted and cut. */
  probeValueCharsMax: 32 * 1024,
  /** One string in a capture. A longer one is cut. */
  probeStringCharsMax: 256,
  /** Stack frames in a capture. */
  probeFramesMax: 8,
} as const;
