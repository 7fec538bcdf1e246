export const cliLimits = {
  /** Configuration file of another program that `surety mcp add` edits. */
  clientFileBytesMax: 64 * 1024 * 1024,
  /** How long a command waits for the system to start or stop, or for a verdict. */
  systemAnswerMsMax: 30 * 60 * 1_000,
} as const;
