export const runtimeLimits = {
  /** Result of a tool that the daemon runs. */
  toolResultBytesMax: 4 * 1024 * 1024,
  /** How long a program tries to report the outcome of a call to a daemon that does not answer. */
  settlementMsMax: 10 * 60 * 1_000,
  /** How long an issued token may be valid. A longer time is cut. */
  tokenLifetimeMsMax: 366 * 24 * 60 * 60 * 1_000,
  /** Entries that are searched for those about one proposal. */
  explainEntriesMax: 10_000,
  /** How long telemetry may take to answer for objectives, incidents and investigations. */
  backgroundQueryMsMax: 10_000,
} as const;
