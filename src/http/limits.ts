export const apiLimits = {
  /** Entries in one response of the API. */
  apiPageEntriesMax: 1_000,
  /** Open tasks in one response of the API. */
  tasksPageMax: 500,
  /** Tasks in one tree. */
  treeTasksMax: 500,
  /** How long one request waits for a join or a lock. */
  waitMsMax: 60_000,
  /** How long a reader of the event stream may leave an event unread. Then it is cut off. */
  streamUnreadMsMax: 30_000,
  /** How long a client waits for an answer of the daemon. */
  daemonAnswerMsMax: 30_000,
} as const;
