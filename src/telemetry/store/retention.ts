import type { OpenSegment } from './segments.ts';

export interface Retention {
  /** How long a row is kept after its arrival, whatever time it reports. */
  readonly ms: number;
  readonly bytes: number;
}

export interface SegmentSize {
  readonly segment: OpenSegment;
  readonly bytes: number;
}

/** The number of segments that the retained time and space are divided into. */
const segmentsKept = 16;

/**
 * Whether to begin a new segment. Segments are dropped as a whole, so each should hold only a small
 * part.
 */
export function isFinished(
  active: SegmentSize | undefined,
  kept: Retention,
  nowMs: number,
): boolean {
  if (!active) return false;
  const ageMs = nowMs - active.segment.openedMs;
  // Its clock was ahead, so its age would be unknown until that time.
  if (ageMs < 0) return true;
  return active.bytes >= kept.bytes / segmentsKept || ageMs >= kept.ms / segmentsKept;
}

/** The segments to drop, oldest first. The active one always stays. */
export function overdue(
  segments: readonly SegmentSize[],
  kept: Retention,
  nowMs: number,
): readonly SegmentSize[] {
  let bytes = segments.reduce((sum, one) => sum + one.bytes, 0);
  return segments.slice(0, -1).filter((one, index) => {
    // It was finished before any later one began, whatever its own clock said.
    const later = segments.slice(index + 1).map(({ segment }) => segment.openedMs);
    const endedMs = Math.min(nowMs, ...later);
    const goes = bytes > kept.bytes || nowMs - endedMs > kept.ms;
    if (goes) bytes -= one.bytes;
    return goes;
  });
}
