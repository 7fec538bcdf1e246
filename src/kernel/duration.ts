const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** As in 500ms, 30s, 10m, 1h, 90d. Nine digits: ten thousand years of days still count exactly. */
export const durationPattern = /^[1-9][0-9]{0,8}(?:ms|s|m|h|d)$/;

/** The same as a text, in the largest unit that divides it. */
export function formatDuration(ms: number): string {
  const [unit, one] = Object.entries(unitMs).findLast(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / one}${unit}`;
}

/** `money per 1d` for `money/86400000`, the id that rows and entries use. */
export function formatBudget(budget: string): string {
  const [, dimension, perMs] = /^(.+)\/([1-9]\d{0,15})$/.exec(budget) ?? [];
  return dimension === undefined ? budget : `${dimension} per ${formatDuration(Number(perMs))}`;
}

/** Milliseconds of a duration that matches the pattern. */
export function durationMs(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+)(\D+)$/.exec(text) ?? [];
  return Number(amount) * unitMs[unit as keyof typeof unitMs];
}
