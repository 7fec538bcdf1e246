export const mcpLimits = {
  /** One response of Surety's own tools, as JSON and as text. A cursor fetches the rest. */
  mcpAnswerCharsMax: 24_000,
  /** One value in such a response. A longer one is cut. */
  mcpValueCharsMax: 400,
  /** Findings of a verdict in such a response. The rest are counted. */
  mcpFindingsMax: 20,
  /** Resources of one kind that Surety's own server lists. */
  mcpResourcesMax: 200,
  /** How long a client of the gateway may take to send one message. */
  mcpBodyMsMax: 10_000,
  /** Sessions of one agent with the gateway. The one unused for longest is dropped first. */
  mcpSessionsMax: 100,
  /** Messages that such a session keeps, for a client that comes back for what it missed. */
  sessionEventsMax: 256,
  /** Size of those messages. The newest is kept whatever its size. */
  sessionEventBytesMax: 1024 * 1024,
  /** Size of those messages in all sessions of one agent. The oldest are dropped first. */
  agentEventBytesMax: 32 * 1024 * 1024,
  /** How long a session keeps such a message. */
  agentEventMsMax: 3_600_000,
  /** One message of a server behind the gateway. */
  upstreamMessageBytesMax: 8 * 1024 * 1024,
  /** Nesting depth of such a message. */
  upstreamDepthMax: 512,
  /** Notifications, requests and unreadable messages of such a server: nobody asked for them. */
  upstreamUnaskedPerMinuteMax: 6_000,
  /** Requests of such a server to its clients. */
  upstreamRequestsPerMinuteMax: 600,
  /** Size of those messages, and of its error output. */
  upstreamUnaskedBytesPerMinuteMax: 16 * 1024 * 1024,
  /** Open requests of such a server to its clients. */
  upstreamQuestionsMax: 100,
  /** Unfinished messages of such a server, all together. */
  upstreamHeldBytesMax: 64 * 1024 * 1024,
  /** What such a server may leave unread of its standard input. */
  upstreamUnreadBytesMax: 32 * 1024 * 1024,
  /** Error output of such a server that is logged. The rest is dropped. */
  upstreamErrorBytesPerMinuteMax: 128 * 1024,
  /** How long such a server may take from its start until it is connected. */
  upstreamStartMsMax: 60_000,
  /** How long a server may take to name its protocol revision before the old one is tried. */
  upstreamProbeMsMax: 20_000,
  /** Longest pause before the gateway restarts such a server. */
  upstreamBackoffMsMax: 30_000,
  /** Longest pause before the gateway restarts a server that it has cut off. */
  upstreamCutOffMsMax: 300_000,
  /** Pages that are read of one list of such a server. */
  upstreamPagesMax: 100,
  /** Size of the list of tools of such a server. */
  upstreamListBytesMax: 16 * 1024 * 1024,
  /** How long such a server may take for a page of another list, before it is left out. */
  upstreamListMsMax: 5_000,
  /** How long a list waits for the other servers, once the first of them has started. */
  upstreamGatherMsMax: 10_000,
  /** Tools of one such server. Further ones are left out. */
  upstreamToolsMax: 1_000,
  /** Definition of one tool. A larger one is left out. */
  toolDefinitionBytesMax: 64 * 1024,
  /** Resource addresses for which the gateway remembers the server. */
  learnedResourcesMax: 10_000,
  /** Resources to which one stream or session subscribes. */
  subscriptionsMax: 100,
  /** How often one call may ask its client for input. */
  inputRoundsMax: 10,
  /** How long a call through the gateway waits for the input of its client. */
  questionMsMax: 600_000,
  /** Arguments that a person can be asked to approve in the client. */
  elicitedCharsMax: 4_000,
  /** Open requests for input to clients. */
  openQuestionsMax: 1_000,
} as const;
