import { join } from 'node:path';
import type { Sink } from '../rows.ts';
import { ReportedLines } from './reported-lines.ts';
import { Tail, type TailDeps } from './tail.ts';

export interface FollowedOutput {
  /** Receives reports that may also be lines in the logs. */
  readonly sink: Sink;
  /** What was not stored, by name. */
  counts(): Readonly<Record<string, number>>;
  close(): void;
}

/** The output of all services of a state directory, on its way to `sink`. */
export function followOutput(
  directory: string,
  { sink, clock, isOpen }: Pick<TailDeps, 'clock' | 'isOpen'> & { readonly sink: Sink },
): FollowedOutput {
  const counts: Record<string, number> = {};
  const count = (what: string, more: number): void => {
    counts[what] = (counts[what] ?? 0) + more;
  };
  const lines = new ReportedLines({ sink, nowMs: () => performance.now(), count });
  const tail = new Tail({
    logs: join(directory, 'logs'),
    places: join(directory, 'telemetry', 'tail.json'),
    lines,
    clock,
    isOpen,
    count,
  });
  return { sink: lines, counts: () => counts, close: () => tail.close() };
}
