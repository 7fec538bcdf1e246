/** The name of a budget in its account: its dimension, and its window if it has one. */
export function budgetId(dimension: string, perMs: number | null): string {
  return perMs === null ? dimension : `${dimension}/${perMs}`;
}

const windowed = /^(.+)\/([1-9]\d{0,15})$/;

export function dimensionOf(budget: string): string {
  return windowed.exec(budget)?.[1] ?? budget;
}

/** The length of the window, or null for a budget without one. */
export function perMsOf(budget: string): number | null {
  const perMs = windowed.exec(budget)?.[2];
  return perMs === undefined ? null : Number(perMs);
}
