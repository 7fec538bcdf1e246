export const ledgerLimits = {
  /** Canonical JSON body of one entry. Documents belong into its contents. */
  bodyBytesMax: 64 * 1024,
  /** Requests that one ledger transaction serves. */
  batchRequestsMax: 256,
  /** One text in which a batch is sent to SQLite. A larger batch is sent as several. */
  batchTextCharsMax: 64 * 1024 * 1024,
  /** Requests waiting for the ledger. Further ones are refused and may be retried. */
  queueRequestsMax: 20_000,
  /** Rows that the ledger's writer caches between batches. */
  cachedRowsMax: 20_000,
  /** Entries in one page of a scan. */
  scanPageEntries: 1_000,
  /** Number of entries after which the ledger signs a checkpoint. */
  checkpointEntriesEvery: 1_000,
  /** Longest time until a checkpoint covers a new entry. */
  checkpointMsEvery: 5_000,
  /** Entries after the last checkpoint: the ledger writes no more, and `verify` accepts no more. */
  unsignedEntriesMax: 2_000,
  /** How long the writer tries to find out whether an interrupted commit succeeded. */
  inDoubtMsMax: 5_000,
  /** How long the database may take to answer before requests fail. */
  storeAnswerMsMax: 10_000,
} as const;
