/**
 * The bounds that a grant keeps to. Surety's own table of limits holds the same numbers; they stand
 * here, too, because this folder runs in other people's programs and brings nothing of ours along.
 */
export const bounds = {
  /** A whole grant, as it travels. */
  grantBytesMax: 16 * 1024,
  /** Life of one grant. */
  grantMsMax: 10 * 60 * 1_000,
  /** By how much the clocks of runtime and executor may differ unless told otherwise. */
  grantSkewMs: 5_000,
  /** The most that one may tell otherwise. */
  grantSkewMsMax: 60_000,
  /** Grants that are remembered as used unless told otherwise. */
  seenGrantsMax: 100_000,
  /** Nesting of arguments. */
  jsonDepthMax: 64,
} as const;
