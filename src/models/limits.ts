export const modelLimits = {
  /** One request to a model. */
  modelRequestBytesMax: 32 * 1024 * 1024,
  /** An answer in one piece whose usage is read. A longer one counts as it was reserved. */
  modelAnswerBytesMax: 32 * 1024 * 1024,
  /** One event of a stream whose usage is read. A longer one is passed on without being read. */
  modelEventCharsMax: 1024 * 1024,
} as const;
