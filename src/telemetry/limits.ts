export const telemetryLimits = {
  /** One message of telemetry over HTTP, compressed or not. */
  telemetryMessageBytesMax: 16 * 1024 * 1024,
  /** One message of telemetry over gRPC. */
  telemetryGrpcBytesMax: 4 * 1024 * 1024,
  /** Messages that are received at once. Senders of further ones are asked to retry. */
  telemetryMessagesMax: 128,
  /** A message that arrives for longer gives up its place when all places are taken. */
  telemetrySlowMs: 1_000,
  /** Size of all messages that are received at once. */
  telemetryReceivingBytesMax: 64 * 1024 * 1024,
  /** How long one message may take to arrive. */
  telemetryMessageMsMax: 10_000,
  /** Spans, points or log records in one message. */
  telemetryItemsMax: 50_000,
  /** Attributes of one span, point or record, and items of one list among them. */
  telemetryAttributesMax: 128,
  /** Value of one attribute. A longer one is cut. */
  telemetryValueCharsMax: 4_096,
  /** Name of a service, span, route or attribute. A longer one is cut. */
  telemetryNameCharsMax: 256,
  /** One log line, or the message of a status. A longer one is cut. */
  telemetryTextCharsMax: 16 * 1024,
  /** Nesting depth of one attribute. */
  telemetryDepthMax: 16,
  /** Events of one span, and its links. */
  telemetryEventsMax: 64,
  /** Buckets or quantiles of one point. */
  telemetryBucketsMax: 512,
  /** Services for which distinct values are counted. */
  telemetryServicesMax: 1_000,
  /** Distinct routes of one service. Further ones are merged into one. */
  telemetryRoutesMax: 1_000,
  /** Distinct series of one service. Further ones are merged into one for each metric. */
  telemetrySeriesMax: 10_000,
  /** Signed messages that are recognised when they are sent again. */
  telemetrySignaturesMax: 20_000,
  /** Traces whose lane is remembered. */
  telemetryTraceLanesMax: 100_000,
  /** How far the clock of a sender may be ahead. */
  telemetrySkewMsMax: 24 * 60 * 60 * 1_000,
  /** Rows that wait to be stored. Further ones are refused and counted. */
  telemetryQueueRowsMax: 100_000,
  /** Size of the rows that wait to be stored. */
  telemetryQueueBytesMax: 128 * 1024 * 1024,
  /** Rows of one table that are stored at once. */
  telemetryBatchRowsMax: 61_440,
  /** Rows from which a batch is written to disk as columns, and not through the write-ahead log. */
  telemetryRowGroupRows: 20_480,
  /** How long a row waits for others before it is stored. */
  telemetryFlushMsMax: 1_000,
  /** Pause before a batch that found no disk space is stored again. */
  telemetryRetryMs: 250,
  /** Memory of DuckDB. */
  telemetryMemoryMb: 512,
  /** Disk space that queries may use when their memory is not enough. */
  telemetrySpillMbMax: 512,
  /** Memory of the telemetry process. Beyond it, the running query is cancelled. */
  telemetryResidentMbMax: 1_536,
  /** Queries that run at once, one place of which agents never have. Further ones wait. */
  telemetryQueriesMax: 2,
  /** Queries of agents that wait, and those of others. Further ones are refused. */
  telemetryQueriesQueuedMax: 16,
  /** Queries of one agent that wait. Further ones are refused. */
  telemetryQueriesQueuedOfAgentMax: 4,
  /** How long one query may take. */
  telemetryQueryMsMax: 10_000,
  /** How long a cancelled query may continue before the telemetry process is restarted. */
  telemetryStopMsMax: 5_000,
  /** Text of one query. */
  telemetryQueryCharsMax: 16 * 1024,
  /** Rows in the result of one query. */
  telemetryAnswerRowsMax: 10_000,
  /** Size of the result of one query, as JSON. */
  telemetryAnswerBytesMax: 4 * 1024 * 1024,
  /** A telemetry process that runs and does not answer for this long is replaced. */
  telemetrySilentMsMax: 30_000,
  /** How long a client waits until the telemetry process says how it is. */
  telemetryStatusMsMax: 5_000,
  /** How long a client waits for any other answer of the telemetry process. */
  telemetryAnswerMsMax: 30_000,
  /** Default number of rows in the answer to a ready-made question. */
  telemetryQuestionRows: 50,
  /** Most rows that can be asked for. */
  telemetryQuestionRowsMax: 1_000,
  /** Size of all rows of such an answer, as JSON. The answer says when rows are left out. */
  telemetryQuestionBytesMax: 256 * 1024,
  /** One text in such an answer. A longer one is cut. */
  telemetryQuestionTextCharsMax: 2_000,
  /** One parameter of a question: a service, a lane, a text to search for. */
  telemetryParameterCharsMax: 500,
  /** Metrics of one service. A larger response is not read. */
  scrapeBytesMax: 8 * 1024 * 1024,
  /** Series that are taken from one such response. Further ones are counted. */
  scrapeSamplesMax: 20_000,
  /** How long a service may take to send its metrics. */
  scrapeMsMax: 5_000,
  /** Sets of labels on the `/metrics` page. Further ones are merged. */
  exposedSeriesMax: 2_000,
  /** One label on the `/metrics` page. A longer one is cut. */
  exposedLabelCharsMax: 200,
  /** How long a Prometheus server may take to answer. */
  prometheusAnswerMsMax: 15_000,
  /** Response of a Prometheus server. A larger one is not read. */
  prometheusAnswerBytesMax: 16 * 1024 * 1024,
  /** One query to a Prometheus server. */
  prometheusQueryCharsMax: 8_000,
  /** Series of a Prometheus response that are passed on. The rest are counted. */
  prometheusSeriesMax: 200,
  /** Points of one such series that are passed on. */
  prometheusPointsMax: 1_000,
  /** Rows of one signal that wait to be exported. Further ones are counted as lost. */
  exportRowsQueuedMax: 20_000,
  /** Size of the rows of one signal that wait to be exported. */
  exportBytesQueuedMax: 32 * 1024 * 1024,
  /** Rows in one exported message. */
  exportRowsMax: 1_000,
  /** Size of one exported message. Receivers over gRPC accept 4 MB by default. */
  exportBytesMax: 3 * 1024 * 1024,
  /** How long a receiver of exports may take to answer. */
  exportAnswerMsMax: 10_000,
  /** Lines of output that wait for a structured report of the same line. */
  telemetryHeldLinesMax: 20_000,
  /** Size of these lines. */
  telemetryHeldBytesMax: 16 * 1024 * 1024,
  /** Reported lines that are remembered to recognise them in the output of a service. */
  telemetryReportedLinesMax: 50_000,
  /** Size of these lines. */
  telemetryReportedBytesMax: 16 * 1024 * 1024,
  /** Outputs of services, in baseline and lanes, for which it is known who reports them. */
  telemetryOutputsMax: 2_000,
  /** Bytes of one log file that are read at once, four times a second. */
  telemetryTailBytesMax: 1024 * 1024,
  /** How far reading may lag behind a log file. Beyond it, telemetry skips to its end. */
  telemetryTailBehindBytesMax: 4 * 1024 * 1024,
  /** Lines of one log file that are stored per second. Further ones are counted. */
  telemetryTailLinesPerSecondMax: 2_000,
} as const;
