/** For tests only: the app loads this file when it is asked to, not at its start. */
export function double(amount: number): number {
  const doubled = amount * 2;
  return doubled;
}
