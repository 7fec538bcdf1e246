export const laneLimits = {
  /** The diff of one change. */
  patchBytesMax: 1024 * 1024,
  /** Files that one change may touch. */
  changeFilesMax: 500,
  /** How long an install, build, migration or seed may take. */
  stepMsMax: 15 * 60 * 1_000,
  /** How long a lane may take from its opening until it is ready. */
  laneStartMsMax: 10 * 60 * 1_000,
  /** Time between SIGTERM and SIGKILL for a candidate: a lane has to be gone within a second. */
  laneStopGraceMs: 250,
  /** Versions that stay checked out although nothing runs them. */
  idleVersionTreesMax: 8,
  /** How long such a version has to be unused before it is removed. */
  idleVersionTreeMsMin: 60 * 60_000,
  /** Shortest secret. Shorter values occur in too many other texts to be redacted. */
  secretCharsMin: 4,
  /** How long a command that prints a secret may take. */
  secretMsMax: 10_000,
  /** How long a promoted version may take until it serves requests. */
  serviceStartMsMax: 30_000,
  /** A service counts as crashed after this many restarts in a row. It is tried every 10 s then. */
  serviceRestartsMax: 5,
  /** How long a datastore that Surety starts may take until it answers. */
  storeStartMsMax: 60_000,
  /** A promotion is rolled back when a service was restarted this often. */
  promotionRestartsMax: 1,
  /** A promotion is rolled back when a service fails this many health checks in a row. */
  promotionUnhealthyChecksMax: 5,
  /** Fewer failed requests than this roll no promotion back. */
  promotionErrorsMin: 5,
  /** Fewer requests than this, before a promotion or since, say nothing about its latency. */
  promotionLatencyRequestsMin: 50,
  /** How long telemetry may take to count the errors of a promotion. */
  promotionSignalsMsMax: 3_000,
  /** Attempts to start the previous version when a promotion is rolled back. */
  promotionRollbacksMax: 3,
  /** Deployments, promotions and configuration changes that are kept as the recent ones. */
  recentDeploymentsMax: 200,
  /** Version or note of a deployment. */
  deploymentTextCharsMax: 500,
  /** Log lines in one response of the API. Older ones are counted. */
  laneLogLinesMax: 1_000,
  /** Shortest request id for which the logs of shared services are searched. */
  requestIdCharsMin: 8,
  /** Closed lanes whose logs are kept. The oldest are deleted first. */
  closedLaneLogsMax: 200,
  /** How long the logs of a closed lane are kept after their last line. */
  closedLaneLogMsMax: 7 * 24 * 60 * 60 * 1_000,
  /** Closed lanes of one owner whose telemetry the owner can still query. */
  ownClosedLanesMax: 200,
  /** How long a command that creates, migrates or drops the data of a lane may take. */
  dataStepMsMax: 10 * 60 * 1_000,
  /** Output of such a command. Only the end of longer output is kept. */
  dataOutputCharsMax: 64 * 1024,
  /** Keys of a Redis that are copied for a lane. A larger one is refused. */
  redisBranchKeysMax: 100_000,
  /** Tables of a lane's own database that are compared. */
  comparedTablesMax: 200,
  /** Rows of such a table. A larger table is not compared. */
  comparedRowsMax: 5_000,
  /** Rows that a live table may have about, so that it is searched for new ones. */
  scannedRowsMax: 200_000,
  /** How long that search may take for one table. */
  newRowsMsMax: 2_000,
  /** How long a message handler that returns no promise keeps the lane key of its message. */
  messageKeyMs: 30_000,
} as const;
