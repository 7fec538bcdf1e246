import { probeLimits } from '../limits.ts';

/** What the agent in a process keeps to, in the names of its code. */
export const agentSettings = {
  cpuShare: probeLimits.probeCpuShareMax,
  /** CPU time that probes may use at once, after a while without hits, in microseconds. */
  bucketUs: 10_000,
  /** What V8 needs to evaluate a condition, which the agent cannot measure, in microseconds. */
  evaluationUs: 45,
  stallUs: probeLimits.probeHitUsMax,
  /** Hits that took too long before the probe ends: the first may be a collection of garbage. */
  slowHits: 3,
  /** Between two windows of a hot line, in microseconds. */
  restUs: 1_000_000,
  /** Evaluations of a condition in one window of a hot line. */
  windowEvaluations: 50,
  /** A line that is reached less often than once in so many microseconds is not hot. */
  coolUs: 10_000,
  capturesPerSecond: probeLimits.probeCapturesPerSecondMax,
  bytesPerSecond: probeLimits.probeBytesPerSecondMax,
  /** What the agent keeps until its worker fetches it. */
  eventBytes: 1024 * 1024,
  /** Share of the heap limit above which nothing is armed. */
  heapShare: 0.95,
  tickMs: 100,
  heartbeatMs: 1_000,
  /** Without a message of ours for so long, the agent takes everything away. */
  silenceMs: 5_000,
  /** A main thread that does not answer for so long is left alone. */
  delayMs: 1_000,
  /** After that, and when the heap is nearly full, nothing is armed for so long. */
  suspendUs: 1_000_000,
  /** One line between agent and daemon. */
  lineChars: 64 * 1024 * 1024,
  depth: probeLimits.probeValueDepthMax,
  members: probeLimits.probeValueMembersMax,
  nodes: probeLimits.probeValueNodesMax,
  chars: probeLimits.probeValueCharsMax,
  flatChars: probeLimits.probeTextCharsMax,
  /** One string, before secrets in it are redacted: a form that was cut would not be recognised. */
  textChars: probeLimits.probeStringCharsMax + 2_048,
  nameChars: probeLimits.probeStringCharsMax,
  /** Items of a list that a builtin looks at. */
  items: 1_000,
  names: probeLimits.probeNamesMax,
  frames: 8,
  pausesPerSecond: 10,
  exceptionFrames: 5,
  /** One evaluation at a pause, in milliseconds. */
  evaluationMs: 20,
} as const;
