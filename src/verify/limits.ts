export const verifyLimits = {
  /** Verifications of one agent that wait or run. */
  agentVerificationsMax: 8,
  /** Cores per verification that may always run; at least one verification always may. */
  verificationCores: 4,
  /** Percent of time in which work may wait for CPU, memory or disk when one more starts. */
  verificationPressurePercentMax: 40,
  /** How often waiting verifications look whether there is room. */
  queueLookMsEvery: 1_000,
  /** A verdict as JSON. The least important findings are left out first. */
  verdictBytesMax: 16 * 1024,
  /** How long one suite may run. */
  suiteMsMax: 5 * 60 * 1_000,
  /** Output of one suite that is read. */
  suiteOutputBytesMax: 4 * 1024 * 1024,
  /** Checks of one suite. */
  suiteChecksMax: 10_000,
  /** Captures of one suite that are open at the same time. */
  suiteCapturesMax: 8,
  /** How long a finding may stay disputed. */
  disputeDaysMax: 90,
  /** Disputes on which one pass may depend. The pass ends with the first of them. */
  verdictDisputesMax: 500,
  /** Verdicts in one answer of the API. */
  listedVerdictsMax: 200,
  /** Verdicts on identical code in one call of the API. */
  calibrationVerdictsMax: 50,
  /** Hunks of a change that are removed one by one to see whether they are needed. */
  idleHunksMax: 12,
  /** Word sequences of a failed change that are remembered. */
  failedShinglesMax: 100,
  /** Words of a change that are compared with failed changes. */
  failedWordsMax: 20_000,
  /** Failed changes of one file that are remembered. The oldest are forgotten first. */
  failedChangesMax: 30,
  /** How long a replayed request may take. */
  replayMsMax: 10_000,
  /** Clients that send requests at once when a change is put under load. */
  loadClientsMax: 64,
  /** How long new clients start in one block of load. Nothing is sent after twice that time. */
  loadBlockMsMax: 5_000,
  /** Faults that are injected to test a change, by request and hop. */
  sweptFaultsMax: 32,
  /** Time after which no further fault is injected. */
  sweepMsMax: 20_000,
  /** Requests of one client that are recorded as one scenario. Later ones begin another. */
  recordedScenarioRequestsMax: 40,
  /** Size of requests in unfinished scenarios, in base64. The oldest are finished first. */
  recordedOpenBytesMax: 16 * 1024 * 1024,
  /** Recorded scenarios that are kept. The oldest are deleted first. */
  recordedScenariosMax: 200,
  /** Disk space for recorded scenarios. */
  recordedBytesMax: 4 * 1024 * 1024,
  /** Recorded requests that one verification sends. */
  recordedReplayMax: 60,
  /** Requests made for a change that `quick` sends. */
  variantsQuickMax: 96,
  /** Requests made for a change that `full` sends. */
  variantsFullMax: 400,
  /** Reads that nobody asked before which `quick` sends in addition. */
  directQuickMax: 24,
  /** Reads that nobody asked before which `full` sends in addition. */
  directFullMax: 96,
  /** Of these, the requests whose differences are confirmed. */
  variantsConfirmedMax: 24,
  /** Fields of one body, and of one query, that are changed. The nearest to the changed code. */
  variantPlacesMax: 64,
  /** Time after which no further request made for a change is sent in one round. */
  variantsMsMax: 20_000,
} as const;
