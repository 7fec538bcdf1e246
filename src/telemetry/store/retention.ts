import type { OpenSegment } from './segments.ts';

export interface Retention {
  /** How long a row is kept after it came in, whatever time it tells itself. */
  readonly ms: number;
  readonly bytes: number;
}

export interface SegmentSize {
  readonly segment: OpenSegment;
  readonly bytes: number;
}

/** Into how many segments the kept time and space are divided. */
const segmentsKept = 16;

/** Whether it is time for a new segment: what goes at once must not be much of what is kept. */
export function isFinished(
  active: SegmentSize | undefined,
  kept: Retention,
  nowMs: number,
): boolean {
  if (!active) return false;
  const ageMs = nowMs - active.segment.openedMs;
  // By a clock that was ahead: its age would not be known until that time has come.
  if (ageMs < 0) return true;
  return active.bytes >= kept.bytes / segmentsKept || ageMs >= kept.ms / segmentsKept;
}

/** The segments that have to go, oldest first. The one that is written to always stays. */
export function overdue(
  segments: readonly SegmentSize[],
  kept: Retention,
  nowMs: number,
): readonly SegmentSize[] {
  let bytes = segments.reduce((sum, one) => sum + one.bytes, 0);
  return segments.slice(0, -1).filter((one, index) => {
    // Before any later one was begun, whatever its own clock said.
    const later = segments.slice(index + 1).map(({ segment }) => segment.openedMs);
    const endedMs = Math.min(nowMs, ...later);
    const goes = bytes > kept.bytes || nowMs - endedMs > kept.ms;
    if (goes) bytes -= one.bytes;
    return goes;
  });
}
