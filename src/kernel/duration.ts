const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** As in 500ms, 30s, 10m, 1h, 90d. Nine digits: ten thousand years of days still count exactly. */
export const durationPattern = /^[1-9][0-9]{0,8}(?:ms|s|m|h|d)$/;

/** Milliseconds of a duration that matches the pattern. */
export function durationMs(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+)(\D+)$/.exec(text) ?? [];
  return Number(amount) * unitMs[unit as keyof typeof unitMs];
}
