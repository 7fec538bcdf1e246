/** What runtime and executor have to agree on. This folder imports nothing of Surety. */
export const grantLimits = {
  /** One grant as a token. */
  grantBytesMax: 16 * 1024,
  /** Longest lifetime of a grant. */
  grantMsMax: 10 * 60 * 1_000,
  /** Default tolerance for different clocks of runtime and executor. */
  grantSkewMs: 5_000,
  /** Largest tolerance that an executor can set. */
  grantSkewMsMax: 60_000,
  /** Used grants that an executor remembers by default. */
  seenGrantsMax: 100_000,
} as const;

/** The same as `jsonDepthMax` of the kernel; a test compares them. */
export const jsonDepthMax = 64;
