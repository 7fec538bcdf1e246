import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Instant, tryOr } from '../../kernel/index.ts';
import { laneLimits } from '../limits.ts';

interface ClosedLog {
  readonly lane: string;
  readonly files: string[];
  /** When the last of it was written. */
  writtenAt: Instant;
}

/** Removes what lanes wrote that are closed for long, or closed before many others. */
export function trimClosedLogs(directory: string, open: ReadonlySet<string>, now: Instant): void {
  const closed = closedLogs(directory, open).sort((one, other) => other.writtenAt - one.writtenAt);
  const over = closed.filter(
    ({ writtenAt }, place) =>
      place >= laneLimits.closedLaneLogsMax || now - writtenAt > laneLimits.closedLaneLogMsMax,
  );
  for (const { files } of over) {
    for (const file of files) rmSync(join(directory, file), { force: true });
  }
}

function closedLogs(directory: string, open: ReadonlySet<string>): ClosedLog[] {
  const lanes = new Map<string, ClosedLog>();
  for (const file of tryOr(() => readdirSync(directory), [])) {
    const lane = /^(lane_[^.]+)\..*\.log$/.exec(file)?.[1];
    if (lane === undefined || open.has(lane)) continue;
    const writtenAt = statSync(join(directory, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const known = lanes.get(lane) ?? { lane, files: [], writtenAt };
    known.files.push(file);
    known.writtenAt = Math.max(known.writtenAt, writtenAt);
    lanes.set(lane, known);
  }
  return [...lanes.values()];
}
