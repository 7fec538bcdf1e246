/** Bounds of probes through the Debug Adapter Protocol. */
export const dapLimits = {
  /** One message of a debug adapter. A longer one ends the session. */
  dapMessageBytesMax: 4 * 1024 * 1024,
  /** The header of one message of a debug adapter. */
  dapHeaderBytesMax: 4_096,
  /** Requests to one debug adapter that wait for an answer. */
  dapRequestsMax: 64,
  /** One answer of a debug adapter. */
  dapAnswerMsMax: 10_000,
  /** Time until a debugger is in the process. */
  dapAttachMsMax: 20_000,
  /** Time until a Python process runs code that a debugger can be loaded from. */
  dapSafePointMsMax: 10_000,
  /** Time that a debug adapter gets to leave the process. */
  dapDetachMsMax: 10_000,
  /** Captures by one probe per second. Further hits are counted only. */
  dapCapturesPerSecondMax: 20,
  /** Hits of a Go probe per second. Each stops the process. Then the probe ends. */
  dapStopsPerSecondMax: 50,
  /** Nesting depth of a captured value. */
  dapValueDepthMax: 3,
  /** Members of one object or list in a capture. */
  dapMembersMax: 20,
  /** Values inside one captured value. */
  dapNodesMax: 100,
  /** Stack frames in a capture. */
  dapFramesMax: 8,
  /** Local variables that a snapshot reads. */
  dapLocalsMax: 30,
} as const;
