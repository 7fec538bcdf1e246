import type { OpenSegment } from './segments.ts';

export interface Retention {
  /** How long a row is kept after it came in, whatever time it tells itself. */
  readonly ms: number;
  readonly bytes: number;
}

/** Into how many segments the kept time and space are divided. */
export const segmentsKept = 16;

interface Sized {
  readonly segment: OpenSegment;
  readonly bytes: number;
}

/** The segments that have to go, oldest first. The one that is written to always stays. */
export function overdue(
  segments: readonly Sized[],
  retention: Retention,
  nowMs: number,
): readonly Sized[] {
  let bytes = segments.reduce((sum, one) => sum + one.bytes, 0);
  return segments.slice(0, -1).filter((one, index) => {
    const endedMs = segments[index + 1]?.segment.openedMs ?? nowMs;
    const goes = bytes > retention.bytes || nowMs - endedMs > retention.ms;
    if (goes) bytes -= one.bytes;
    return goes;
  });
}
