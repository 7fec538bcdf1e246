export const keeperLimits = {
  /** Processes that the keeper runs at once. */
  keeperChildrenMax: 512,
  /** Clients connected to the keeper at once. Further ones are refused. */
  keeperConnectionsMax: 128,
  /** One message to the keeper. */
  keeperMessageBytesMax: 1024 * 1024,
  /** How long a client waits for any answer of the keeper. */
  keeperAnswerMsMax: 10_000,
  /** How long a client waits for one answer while the keeper gives other ones. */
  keeperWorkMsMax: 120_000,
  /** How long the keeper may take from its start to its first answer. */
  keeperStartMsMax: 10_000,
  /** How long an exiting keeper stops its children one by one before it stops all at once. */
  keeperShutdownMsMax: 5_000,
  /** The most restarts in a row that a process may ask for before the keeper gives up on it. */
  restartsMax: 100_000,
  /** Longest pause before a crashed process is restarted. */
  restartBackoffMsMax: 10_000,
  /** A process that ran for this long before it crashed is not in a crash loop. */
  restartCalmMs: 10_000,
  /** How long the end command of a hold may run. Then it is killed and run again. */
  holdCommandMsMax: 10_000,
} as const;
