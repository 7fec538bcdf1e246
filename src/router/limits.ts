export const routerLimits = {
  /** The routing table. */
  routerTableBytesMax: 1024 * 1024,
  /** How long a client waits for one answer of the router. */
  routerAnswerMsMax: 10_000,
  /** Addresses to which the router keeps connections open. */
  routerUpstreamsMax: 4_096,
  /** How long a request may continue after its lane ended. Then it is aborted. */
  endedLaneRequestMsMax: 300,
  /** Ended lanes whose hops the router keeps. */
  routerEndedLanesMax: 16,
  /** Hops of one lane that the router keeps. The oldest are dropped first. */
  laneHopsMax: 1_000,
  /** Size of all hops of one lane. The oldest are dropped first. */
  laneHopBytesMax: 16 * 1024 * 1024,
  /** Size of all hops of all lanes. Each lane has an equal share. */
  routerHopBytesMax: 256 * 1024 * 1024,
  /** Hops in one answer of the router. */
  routerPageHopsMax: 100,
  /** Faults that one request may ask for. */
  injectedFaultsMax: 8,
  /** Longest delay that can be injected into a call. */
  injectedDelayMsMax: 30_000,
  /** Lanes whose requests are captured at once. The oldest are dropped first. */
  takenLanesMax: 50,
  /** All captured bodies together, in base64. A lane that would exceed it captures none. */
  takenBytesMax: 64 * 1024 * 1024,
  /** How long the router goes on recording baseline traffic after it was last asked for it. */
  recordingLeaseMs: 15_000,
  /** Recorded requests that the router buffers until it is asked. Further ones are not recorded. */
  recordedBufferRequestsMax: 300,
  /** Size of their bodies and responses, in base64. */
  recordedBufferBytesMax: 8 * 1024 * 1024,
  /** Hops that wait to be sent to telemetry. Further ones are counted. */
  reportedHopsQueuedMax: 4_000,
  /** Hops that are sent to telemetry at once. */
  reportedHopsBatchMax: 500,
  /** Bytes of bodies per second whose shapes are reported. Further hops are reported without. */
  reportedShapeBytesMax: 64 * 1024,
} as const;
