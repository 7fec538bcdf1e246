export const rankLimits = {
  /** Columns of one table of metrics. */
  rankSeriesMax: 10_000,
  /** Cases in one directory. */
  rankCasesMax: 1_000,
  /** Moments between the first and the last row of a log or a trace, of 5 s each. */
  rankMomentsMax: 200_000,
  /** Log lines or spans of one case. */
  rankRowsMax: 5_000_000,
} as const;
