import type { Gate } from '../../gate/index.ts';

/** One check at a time: a recovery may take longer than the interval. */
export function watchGate(gate: Gate, report: (error: unknown) => void): () => Promise<void> {
  let looking: Promise<void> | undefined;
  return () => {
    looking ??= gate.maintain(report).finally(() => {
      looking = undefined;
    });
    return looking;
  };
}
