import { onTestFinished } from 'vitest';

/** Also for a test that runs out of time, which never gets to the end of its `using` block. */
export function whenTestEnds(leave: () => unknown): void {
  try {
    onTestFinished(async () => void (await leave()));
  } catch {
    // Not in a test: whoever made it for a whole file takes it down as well.
  }
}
