/** How long the harness waits for what, and how much it shows. */
export const postgresLimits = {
  /** Covers crash recovery after a kill and a slow machine under load. */
  startMsMax: 120_000,
  /** A fast shutdown writes one checkpoint; after this long the server is killed. */
  stopMsMax: 10_000,
  /** For one try while the server starts; there will be another. */
  tryMsMax: 1_000,
  pollMs: 10,
  /** How long trouble that passes by itself may last. */
  retryMsMax: 10_000,
  retryMs: 50,
  logLinesMax: 20,
} as const;
