/** Bounds on what `surety.yaml` may set, and on reading a repository. */
export const systemLimits = {
  /** Least memory limit of a service. */
  serviceMemoryMbMin: 8,
  /** Least CPU limit of a service, as a share of one CPU. */
  serviceCpuMin: 0.05,
  /** Longest time that a service may be given to become healthy. */
  serviceStartSecondsMax: 600,
  /** How long a program may take to listen in a trial start. */
  trialMsMax: 10_000,
  /** Longest time for which a pass allows a promotion. */
  promotionPassHoursMax: 168,
  /** Longest time for which a promotion is watched. */
  promotionWatchSecondsMax: 3_600,
  /** Longest time for which recorded traffic is kept. */
  recordedDaysMax: 30,
  /** Default number of requests per minute of one agent to the API and to MCP. */
  agentRequestsPerMinute: 300_000,
  /** Notifications that one receiver is sent at once. */
  notificationsMax: 8,
  /** Notifications that wait for one receiver. Further ones are counted and not sent. */
  notificationsQueuedMax: 1_000,
  /** Longest window of an SLO. */
  sloWindowMinutesMax: 1_440,
  /** Windows of one SLO. */
  sloWindowsMax: 4,
} as const;
