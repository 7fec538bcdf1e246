export const probeLimits = {
  /** Expressions that one probe evaluates at each hit. */
  probeExpressionsMax: 10,
  /** One expression of a probe. */
  probeExpressionCharsMax: 256,
  /** The text of a log probe. */
  probeTemplateCharsMax: 1_000,
  /** Hits of one probe that are recorded. Then it ends. */
  probeHitsMax: 100_000,
  /** Captures that one probe keeps. Older ones are dropped. */
  probeCapturesKeptMax: 1_000,
  /** Lifetime of one probe. */
  probeTtlMsMax: 60 * 60 * 1_000,
  /** Probes in one process. */
  probesPerProcessMax: 200,
  /** Share of one core that all probes of a process may use. A hot line is armed now and then. */
  probeCpuShareMax: 0.02,
  /** One hit. A probe whose hits take longer ends. */
  probeHitUsMax: 5_000,
  /** Captures of one process per second. More are counted and dropped. */
  probeCapturesPerSecondMax: 200,
  /** Captures of one process per second, in bytes. */
  probeBytesPerSecondMax: 256 * 1024,
  /** Predicted stall of a process when a probe attaches, without consent. */
  probeAttachMsMax: 1_000,
  /** Time from SIGUSR1 until the inspector's port is open. */
  probeOpenMsMax: 5_000,
  /** How long a process is watched for an inspector that opens or closes too late. */
  probeLateMsMax: 10 * 60 * 1_000,
  /** One answer of the inspector, or of the agent in the process. */
  probeAnswerMsMax: 5_000,
  /** How long to wait until another process has left the inspector's port. */
  probePortWaitMsMax: 3_000,
  /** Nesting depth of a captured value. */
  probeValueDepthMax: 3,
  /** Properties of one object, or items of one array, in a capture. */
  probeValueMembersMax: 20,
  /** Values inside one captured value. */
  probeValueNodesMax: 100,
  /** All strings inside one captured value, before they are redacted and cut. */
  probeValueCharsMax: 32 * 1024,
  /** A longer text is not read at all. */
  probeTextCharsMax: 1_000_000,
  /** One string in a capture. A longer one is cut. */
  probeStringCharsMax: 256,
  /** Lines of code that one runtime context covers. */
  probeContextLinesMax: 400,
  /** How long one runtime context is observed. */
  probeContextMsMax: 30_000,
  /** Functions, branches and variables that one runtime context observes. The first ones count. */
  probeContextPointsMax: 24,
  /** Different types, branches or shapes that one probe counts. The rest is counted as others. */
  probeNamesMax: 50,
} as const;
