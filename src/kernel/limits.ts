/**
 * Every bound in Surety, by name and with its unit last. A limit that is not here is a surprise
 * to somebody; each has a test on both sides (last accepted value, first rejected one).
 */
export const limits = {
  /** Nesting of stored JSON. */
  jsonDepthMax: 64,
  /** Canonical body of one entry: facts, not documents. */
  bodyBytesMax: 64 * 1024,
  /** Canonical form of one content (arguments, a result, a patch) beside an entry. */
  contentBytesMax: 4 * 1024 * 1024,
  /** Requests that one ledger transaction may serve. */
  batchRequestsMax: 256,
  /** One of the texts in which a batch travels to SQLite; a larger batch takes several. */
  batchTextCharsMax: 64 * 1024 * 1024,
  /** Callers waiting for the ledger before the next one is told to come back later. */
  queueRequestsMax: 20_000,
  /** Rows that the writer of a ledger remembers between two batches. */
  cachedRowsMax: 20_000,
  /** Rows in one page of a scan. */
  scanPageEntries: 1_000,
  /** Entries in one answer of the HTTP API. */
  apiPageEntriesMax: 1_000,
  /** Entries after which the ledger signs a checkpoint. */
  checkpointEntriesEvery: 1_000,
  /** How long an entry may wait for a checkpoint that covers it. */
  checkpointMsEvery: 5_000,
  /** Body of one HTTP request to the API. */
  requestBytesMax: 8 * 1024 * 1024,
  /** How long a client waits for the daemon before it says that nobody answers. */
  daemonAnswerMsMax: 30_000,
  /** Longest life that one grant of a lease may have. */
  leaseMsMax: 24 * 60 * 60 * 1_000,
  /** How long the writer tries to learn whether an interrupted commit took place. */
  inDoubtMsMax: 5_000,
  /** How long a store may take to answer before callers are told that it is away. */
  storeAnswerMsMax: 10_000,
  /** A log file is cut to its newer half when it grows past this. */
  logFileBytesMax: 16 * 1024 * 1024,
  /** Between SIGTERM and SIGKILL for a process that the keeper ends. */
  stopGraceMsMax: 500,
  /** Times in a row that the keeper starts a child again before it gives it up. */
  restartsMax: 20,
  /** Longest wait before a child that crashed is started again. */
  restartBackoffMsMax: 10_000,
  /** A child that ran for so long before it crashed is not in a loop. */
  restartCalmMs: 10_000,
  /** One message to the keeper. */
  keeperMessageBytesMax: 1024 * 1024,
  /** Processes the keeper looks after at once. */
  keeperChildrenMax: 512,
  /** Clients of the keeper at once; more are turned away at the door. */
  keeperConnectionsMax: 128,
  /** How long a client waits for one answer of the keeper. */
  keeperAnswerMsMax: 10_000,
  /** How long a keeper may take from its start to its first answer. */
  keeperStartMsMax: 10_000,
  /** How long a leaving keeper stops its children one by one before it stops the rest at once. */
  keeperShutdownMsMax: 5_000,
  /** Least memory that a service may be held to; below it nothing but a shell would start. */
  serviceMemoryMbMin: 8,
  /** Least share of a CPU that a service may be held to. */
  serviceCpuMin: 0.05,
  /** How long the command of a hold may take; then it is ended, and tried again. */
  holdCommandMsMax: 10_000,
  /** Shorter values would be found in every other text; nothing with them can be kept secret. */
  secretCharsMin: 4,
  secretBytesMax: 64 * 1024,
  /** How long a command may take to tell a secret. */
  secretMsMax: 10_000,
  /** How long a program may take in a trial start until it listens. */
  trialMsMax: 10_000,
  /** How long an install, build, migration or seed may take. */
  stepMsMax: 15 * 60 * 1_000,
  /** Longest time that surety.yaml may give a service to become healthy. */
  serviceStartSecondsMax: 600,
  /** How long a version that takes over may take to be seen to serve. */
  serviceStartMsMax: 30_000,
  /** The diff of one change. */
  patchBytesMax: 1024 * 1024,
  /** Files that one change may touch. */
  changeFilesMax: 500,
  /** Between SIGTERM and SIGKILL for a candidate: all of a lane is to be gone within a second. */
  laneStopGraceMs: 250,
  /** How long a lane may take from its opening until it is ready. */
  laneStartMsMax: 10 * 60 * 1_000,
  /** A verdict as JSON: what an agent reads at once. The last findings go first. */
  verdictBytesMax: 16 * 1024,
  /** Tables of a lane's own store that are read to see what was written. */
  comparedTablesMax: 200,
  /** Rows of such a table; one with more is not compared. */
  comparedRowsMax: 5_000,
  /** Hunks of a change that are tried one by one whether anything needs them. */
  idleHunksMax: 12,
  /** Shingles (a few words in a row) of a change that are remembered when it fails. */
  failedShinglesMax: 100,
  /** Words of a change that are compared with changes that failed; what comes later is not. */
  failedWordsMax: 20_000,
  /** Changes of one file that failed and are remembered; the oldest are forgotten. */
  failedChangesMax: 30,
  /** How long a pass may let a change through: a system is not the same after a week. */
  promotionPassHoursMax: 168,
  /** How long a promotion may be looked after. */
  promotionWatchSecondsMax: 3_600,
  /** A promoted service that was started again so often is taken back. */
  promotionRestartsMax: 1,
  /** A promoted service that was not healthy so often in a row, once a second, is taken back. */
  promotionIllLooksMax: 5,
  /** Fewer requests that failed take no promotion back. */
  promotionErrorsMin: 5,
  /** So often the version before is tried to be started when a promotion is taken back. */
  promotionReturnsMax: 3,
  /** How long a finding may be disputed. */
  disputeDaysMax: 90,
  /** Disputes that one pass may rest on; it ends with the first of them that does. */
  verdictDisputesMax: 500,
  /** Verifications of one agent that are under way at once. */
  agentVerificationsMax: 8,
  /** How long one call to deploy and validate may take. */
  validationMinutesMax: 60,
  /** How long one suite may run. */
  suiteMsMax: 5 * 60 * 1_000,
  /** Output of one suite that is read. */
  suiteOutputBytesMax: 4 * 1024 * 1024,
  /** Checks of one suite. */
  suiteChecksMax: 10_000,
  /** The table of routes, as the router takes it. */
  routerTableBytesMax: 1024 * 1024,
  /** How long a client waits for one answer of the router. */
  routerAnswerMsMax: 10_000,
  /** JSON body of a request or an answer that the router keeps with its hop. */
  hopBodyBytesMax: 64 * 1024,
  /** Hops of one lane that the router keeps; the oldest make room. */
  laneHopsMax: 1_000,
  /** All that the hops of one lane may weigh; the oldest make room. */
  laneHopBytesMax: 16 * 1024 * 1024,
  /** All that the hops of all lanes may weigh; each lane has an equal share of it. */
  routerHopBytesMax: 256 * 1024 * 1024,
  /** Hops in one answer of the router. */
  routerPageHopsMax: 100,
  /** Faults that one request may ask to meet on its way. */
  injectedFaultsMax: 8,
  /** By how much such a fault may delay a call. */
  injectedDelayMsMax: 30_000,
  /** How long a request may still take whose lane has ended; then it is ended as well. */
  endedLaneRequestMsMax: 300,
  /** Places that the router keeps connections to; those of third parties make room. */
  routerUpstreamsMax: 4_096,
  /** Ended lanes whose hops the router still keeps. */
  routerEndedLanesMax: 16,
  /** Requests of one lane that the router keeps whole when it is asked to; further ones pass by. */
  takenRequestsMax: 200,
  /** The body of such a request, or of its answer; a larger one is not kept. */
  takenBodyBytesMax: 256 * 1024,
  /** Lanes of which requests are kept whole at once; the oldest make room. */
  takenLanesMax: 50,
  /** All bodies of such requests together, in base64; a lane with which it is more keeps none. */
  takenBytesMax: 64 * 1024 * 1024,
  /** How long the router records on after it was last asked what it has. */
  recordingLeaseMs: 15_000,
  /** Requests of the baseline that the router keeps until then; further ones pass by. */
  recordedBufferRequestsMax: 300,
  /** What their bodies and answers may be in all, in base64. */
  recordedBufferBytesMax: 8 * 1024 * 1024,
  /** The body of a request that is recorded; one with a larger body is not. */
  recordedBodyBytesMax: 16 * 1024,
  /** Requests of one client that are recorded together; the next ones begin another scenario. */
  recordedScenarioRequestsMax: 40,
  /** What requests of clients that are not done weigh in all, in base64; the oldest end first. */
  recordedOpenBytesMax: 16 * 1024 * 1024,
  /** Scenarios that are kept of recorded traffic; the oldest make room. */
  recordedScenariosMax: 200,
  /** What they may take on the disk. */
  recordedBytesMax: 4 * 1024 * 1024,
  /** How long they may be kept. */
  recordedDaysMax: 30,
  /** Requests of recorded traffic that one verdict sends. */
  recordedReplayMax: 60,
  /** Clients that come at once when a change is put under load. */
  loadClientsMax: 64,
  /** How long new clients come in one block of load; after twice that, nobody sends more. */
  loadBlockMsMax: 5_000,
  /** Faults on the way of requests that a change is tried with, by request and hop. */
  sweptFaultsMax: 32,
  /** After how long no further one is tried. */
  sweepMsMax: 20_000,
  /** Verdicts on identical code in one call of the API. */
  calibrationVerdictsMax: 50,
  /** How long a request that is sent again to measure it may take. */
  replayMsMax: 10_000,
  /** Expressions that one probe reads at each hit. */
  probeExpressionsMax: 10,
  /** One expression of a probe. */
  probeExpressionCharsMax: 256,
  /** Captures of one probe. */
  probeHitsMax: 1_000,
  /** Life of one probe. */
  probeTtlMsMax: 10 * 60 * 1_000,
  /** How often one probe stops its process per second; in between nothing is seen. */
  probePausesPerSecondMax: 10,
  /** One pause; a probe that takes longer is cut off, and the process goes on. */
  probePauseMsMax: 500,
  /** All pauses of one probe together, after which it ends. */
  probeStallMsMax: 5_000,
  /** Evaluation of one expression in the process. */
  probeEvaluationMsMax: 20,
  /** From SIGUSR1 to the open port. */
  probeOpenMsMax: 5_000,
  /** One answer of an inspector. */
  probeAnswerMsMax: 5_000,
  /** Objects within objects that a capture goes into. */
  probeValueDepthMax: 3,
  /** Members of one object, or items of one array, in a capture. */
  probeValueMembersMax: 20,
  /** Values inside of one captured value. */
  probeValueNodesMax: 100,
  /** All texts inside of one captured value, before they are redacted and cut. */
  probeValueCharsMax: 32 * 1024,
  /** A text in a capture is cut to this. */
  probeStringCharsMax: 256,
  /** Callers of the line that a capture names. */
  probeFramesMax: 8,
  /** One expression of a policy. */
  expressionCharsMax: 4_096,
  /** Parts within parts of one expression. */
  expressionDepthMax: 64,
  /** What one evaluation of an expression may cost; chosen so that any ends within 1 ms. */
  expressionStepsMax: 5_000,
  /** Instructions that a regular expression compiles to. */
  expressionPatternInstructionsMax: 200,
  /** What a tool that the runtime executes may answer. */
  toolResultBytesMax: 4 * 1024 * 1024,
  /** surety.yaml. */
  configBytesMax: 1024 * 1024,
  /** One charge, one limit of a budget, and any sum of them. */
  amountMax: Number.MAX_SAFE_INTEGER,
  /** Ancestors of one task. */
  taskDepthMax: 64,
  /** Open children of one task. */
  taskChildrenMax: 1_000,
  /** Open tasks that one answer of the API lists. */
  tasksPageMax: 500,
  /** Open tasks that one cancellation ends. */
  taskTreeMax: 10_000,
  /** One policy document. */
  policyBytesMax: 1024 * 1024,
  /** Documents of one policy, with all that they include. */
  policyFilesMax: 64,
  /** Mistakes of one policy that are told; the rest are counted. */
  policyMistakesMax: 200,
  /** Steps of the recovery of one call, and repeats of one step. */
  recoveryStepsMax: 10,
  /** Mistakes that are told of one call's arguments. */
  schemaMistakesMax: 20,
  /** Values inside of arguments up to which every mistake is looked for; beyond it the first. */
  schemaNodesMax: 10_000,
  /** How long a call of a tool may take unless its contract says otherwise. */
  toolMs: 30_000,
  /** How often the same proposal is answered unless a policy says otherwise. */
  sameProposalsMax: 3,
  /** How often an agent may meet the same failure unless a policy says otherwise. */
  sameErrorsMax: 5,
  /** How often an agent may go the same round of calls unless a policy says otherwise. */
  cyclesMax: 3,
  /** How long a program tries to tell a daemon that is away how a call ended. */
  settlementMsMax: 10 * 60 * 1_000,
  /** Life of a grant for an executor outside of the process, unless told otherwise. */
  grantMs: 60 * 1_000,
  /** The longest that such a grant may live. */
  grantMsMax: 10 * 60 * 1_000,
  /** A whole grant, as it travels. */
  grantBytesMax: 16 * 1024,
  /** A name that a caller has put into a grant: its audience, its task. */
  grantTextCharsMax: 200,
  /** By how much the clocks of runtime and executor may differ unless told otherwise. */
  grantSkewMs: 5_000,
  /** The most that an executor may tell otherwise. */
  grantSkewMsMax: 60_000,
  /** Used grants that an executor remembers unless told otherwise. */
  seenGrantsMax: 100_000,
  /** Keys for grants that are known at once: the current one and those before it. */
  grantKeysMax: 32,
  /** Steps of an agent that rules over its trajectory look back on. */
  trajectoryStepsMax: 24,
  /** Steps of a plan that are judged at once. */
  planStepsMax: 100,
  /** One message of a server behind the gateway. */
  upstreamMessageBytesMax: 8 * 1024 * 1024,
  /** How long such a server may take from its start until it is connected. */
  upstreamStartMsMax: 60_000,
  /** How long one that does not know the newer revision may be silent when asked about it. */
  upstreamProbeMsMax: 5_000,
  /** How long the gateway waits, after many failures, before it starts one again. */
  upstreamBackoffMsMax: 30_000,
  /** Pages of one list of such a server that are read. */
  upstreamPagesMax: 100,
  /** Tools of one such server; more are left out. */
  upstreamToolsMax: 1_000,
  /** The definition of one such tool; a larger one is left out. */
  toolDefinitionBytesMax: 64 * 1024,
  /** Addresses of resources of which the gateway remembers the server. */
  learnedResourcesMax: 10_000,
  /** Resources that one stream or connection may be told about. */
  subscriptionsMax: 100,
  /** How often one call may ask its client for something. */
  inputRoundsMax: 10,
  /** How long a call through the gateway waits for what it asked its client. */
  questionMsMax: 600_000,
  /** Characters of arguments that a person is asked about at a client; more is not asked there. */
  elicitedCharsMax: 4_000,
  /** Questions to clients that may be open at once. */
  openQuestionsMax: 1_000,
  /** How long a client of the gateway may take to send one message. */
  mcpBodyMsMax: 10_000,
  /** Connections of one agent to the gateway at once; the one unused for longest makes room. */
  mcpSessionsMax: 100,
  /** Resources of one kind that Surety's own server lists. */
  mcpResourcesMax: 200,
  /** Lines of logs in one answer of the API; older ones are counted. */
  laneLogLinesMax: 1_000,
  /** Closed lanes whose logs are kept; those that were closed before make room. */
  closedLaneLogsMax: 200,
  /** How long the logs of a closed lane are kept after its last line. */
  closedLaneLogMsMax: 7 * 24 * 60 * 60 * 1_000,
  /** Closed lanes of one owner whose telemetry it still sees; those closed before make room. */
  ownClosedLanesMax: 200,
  /** Versions that are checked out though nobody runs them; the one opened last stays longest. */
  idleVersionTreesMax: 8,
  /** How long nobody has opened such a version before it is removed. */
  idleVersionTreeMsMin: 60 * 60_000,
  /** The id of a request by which logs of services that all lanes share are searched. */
  requestIdCharsMin: 8,
  /** A configuration of another program that `surety mcp add` edits. */
  clientFileBytesMax: 64 * 1024 * 1024,
  /** One answer of Surety's own tools, as JSON and as text; the rest is asked for by a cursor. */
  mcpAnswerCharsMax: 24_000,
  /** Requests of one agent to the API and to MCP, unless surety.yaml says otherwise. */
  agentRequestsPerMinute: 300_000,
  /** Notices that one receiver is sent at once. */
  notificationsMax: 8,
  /** Notices that wait for one receiver; more are counted, and not sent. */
  notificationsQueuedMax: 1_000,
  /** Entries that are looked through for what is about one proposal, before it is unknown. */
  explainEntriesMax: 10_000,
  /** How long a command that makes, migrates or drops a lane's data may take. */
  dataStepMsMax: 10 * 60 * 1_000,
  /** How long a handler that returns no promise acts on behalf of the message that it got. */
  messageKeyMs: 30_000,
  /** Rows of one answer about telemetry unless told otherwise. */
  telemetryToldRows: 50,
  /** The most that can be told otherwise. */
  telemetryToldRowsMax: 1_000,
  /** All rows of one answer about telemetry, as JSON; the rest is left away and said to be. */
  telemetryToldBytesMax: 256 * 1024,
  /** One text in such an answer; of a longer one the beginning is told. */
  telemetryToldTextCharsMax: 2_000,
  /** What a question about telemetry is given: a service, a lane, a text to look for. */
  telemetryParameterCharsMax: 500,
  /** Keys of a Redis that are copied for a lane; a larger one is refused. */
  redisBranchKeysMax: 100_000,
  /** What such a command prints; only the end of more is read. */
  dataOutputCharsMax: 64 * 1024,
  /** What one answer of a service's metrics may be; a larger one is not read. */
  scrapeBytesMax: 8 * 1024 * 1024,
  /** Series that are taken of one such answer; more are counted. */
  scrapeSamplesMax: 20_000,
  /** How long a service may take to tell its metrics. */
  scrapeMsMax: 5_000,
  /** How often a service may be asked for its metrics. */
  scrapeEveryMsMin: 500,
  /** Sets of labels that `/metrics` of telemetry tells apart; requests of others are folded. */
  exposedSeriesMax: 2_000,
  /** A label of `/metrics` of telemetry is cut to this. */
  exposedLabelCharsMax: 200,
  /** How long a Prometheus server may take to answer. */
  prometheusAnswerMsMax: 15_000,
  /** What a Prometheus server may answer; a larger answer is not read. */
  prometheusAnswerBytesMax: 16 * 1024 * 1024,
  /** One query to a Prometheus server. */
  prometheusQueryCharsMax: 8_000,
  /** Series of such an answer that are handed on; the rest are counted. */
  prometheusSeriesMax: 200,
  /** Points of one such series that are handed on. */
  prometheusPointsMax: 1_000,
  /** Rows of telemetry that wait to be stored; more are refused, and counted. */
  telemetryQueueRowsMax: 100_000,
  /** What rows that wait to be stored may weigh. */
  telemetryQueueBytesMax: 128 * 1024 * 1024,
  /** Rows of one table that are stored together. */
  telemetryBatchRowsMax: 61_440,
  /** Rows of a batch from which on it goes to the disk as columns, and not by way of a log. */
  telemetryRowGroupRows: 20_480,
  /** How long a row waits for others before it is stored. */
  telemetryFlushMsMax: 1_000,
  /** How long the store waits before it tries a batch again that found no room. */
  telemetryRetryMs: 250,
  /** What DuckDB may use of the memory. */
  telemetryMemoryMb: 512,
  /** What queries may put on the disk when their memory does not suffice. */
  telemetrySpillMbMax: 512,
  /** Queries that run at once; further ones wait. */
  telemetryQueriesMax: 2,
  /** Queries that wait for one of those to end; further ones are refused. */
  telemetryQueriesQueuedMax: 16,
  /** How much memory the process of telemetry may use before it ends the query that runs. */
  telemetryResidentMbMax: 1_536,
  /** How long a query may go on after it was told to end, before its process is ended. */
  telemetryStopMsMax: 5_000,
  /** How long one query may take. */
  telemetryQueryMsMax: 10_000,
  /** The text of one query. */
  telemetryQueryCharsMax: 16 * 1024,
  /** Rows in the answer to one query. */
  telemetryAnswerRowsMax: 10_000,
  /** What the rows in the answer to one query may weigh, as JSON. */
  telemetryAnswerBytesMax: 4 * 1024 * 1024,
  /** Alerts in one notification of a webhook. */
  webhookAlertsMax: 500,
  /** Alerts in one answer of the API; those that were said something of last. */
  alertsPageMax: 500,
  /** Deployments, promotions and changes of configuration that are remembered as the last ones. */
  recentDeploymentsMax: 200,
  /** A version or a note of a deployment. */
  deploymentTextCharsMax: 500,
  /** Places of a JSON value that its shape tells of. */
  shapePlacesMax: 200,
  /** Hops that wait to be told to telemetry; more are counted. */
  toldHopsQueuedMax: 4_000,
  /** Hops that are told to telemetry at once. */
  toldHopsMax: 500,
  /** Bytes of bodies of which shapes are made per second; of more hops none are told. */
  toldShapeBytesMax: 64 * 1024,
  /** One message of telemetry over HTTP, unpacked or not. */
  telemetryMessageBytesMax: 16 * 1024 * 1024,
  /** One message of telemetry over gRPC: what its servers take unless told otherwise. */
  telemetryGrpcBytesMax: 4 * 1024 * 1024,
  /** Messages that are being received at once; senders of more are told to come back. */
  telemetryMessagesMax: 128,
  /** All bytes of messages that are being received. */
  telemetryReceivingBytesMax: 64 * 1024 * 1024,
  /** How long one message may take to come. */
  telemetryMessageMsMax: 10_000,
  /** How long a client waits for one answer of the telemetry process. */
  telemetryAnswerMsMax: 30_000,
  /** Spans, points or log records of one message. */
  telemetryItemsMax: 50_000,
  /** Attributes of one span, point or record, and items of one list among them. */
  telemetryAttributesMax: 128,
  /** The value of one attribute; a longer one is cut. */
  telemetryValueCharsMax: 4_096,
  /** A name: of a service, a span, a route, an attribute; a longer one is cut. */
  telemetryNameCharsMax: 256,
  /** A line of a log, or the message of a status; a longer one is cut. */
  telemetryTextCharsMax: 16 * 1024,
  /** Values within values of one attribute. */
  telemetryDepthMax: 16,
  /** Events of one span, and its links. */
  telemetryEventsMax: 64,
  /** Buckets or quantiles of one point. */
  telemetryBucketsMax: 512,
  /** Services that are told apart when different values are counted. */
  telemetryServicesMax: 1_000,
  /** Different routes of one service; more are one. */
  telemetryRoutesMax: 1_000,
  /** Different series of one service; more are one for each metric. */
  telemetrySeriesMax: 10_000,
  /** Traces of which the lane is remembered. */
  telemetryTraceLanesMax: 100_000,
  /** By how much a sender's clock may be ahead. */
  telemetrySkewMsMax: 24 * 60 * 60 * 1_000,
  /** Rows of one signal that wait to be exported; more are counted as lost. */
  exportRowsQueuedMax: 20_000,
  /** What rows of one signal that wait to be exported may weigh. */
  exportBytesQueuedMax: 32 * 1024 * 1024,
  /** Rows in one message to whom they are exported. */
  exportRowsMax: 1_000,
  /** What they may weigh: receivers over gRPC take 4 MB unless told otherwise. */
  exportBytesMax: 3 * 1024 * 1024,
  /** How long a receiver of exports may take to answer. */
  exportAnswerMsMax: 10_000,
  /** Lines of output that wait for a report of the same; more are stored as they are. */
  telemetryHeldLinesMax: 20_000,
  /** What they may weigh. */
  telemetryHeldBytesMax: 16 * 1024 * 1024,
  /** Lines that were reported, and are known for a while; what comes then may be stored twice. */
  telemetryReportedLinesMax: 50_000,
  /** What their texts may weigh. */
  telemetryReportedBytesMax: 16 * 1024 * 1024,
  /** Services, in the baseline and in each lane, of whose output it is known who reports it. */
  telemetryOutputsMax: 2_000,
  /** Of one log file that telemetry reads at once, four times a second. */
  telemetryTailBytesMax: 1024 * 1024,
  /** So far behind the end of a log file telemetry reads on; then it goes to the newest. */
  telemetryTailBehindBytesMax: 4 * 1024 * 1024,
  /** Lines of one log file that telemetry stores; more are counted. */
  telemetryTailLinesPerSecondMax: 2_000,
} as const;

export type LimitName = keyof typeof limits;
