export const apiLimits = {
  /** Entries in one response of the API. */
  apiPageEntriesMax: 1_000,
  /** Open tasks in one response of the API. */
  tasksPageMax: 500,
  /** Steps of a plan that one request checks. */
  planStepsMax: 100,
  /** How long a client waits for an answer of the daemon. */
  daemonAnswerMsMax: 30_000,
} as const;
