import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { laneLimits } from '../limits.ts';
import { trimClosedLogs } from './closed-logs.ts';

const now = 1_800_000_000_000;

describe('logs of closed lanes', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'surety-logs-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const write = (file: string, ageMs: number): void => {
    const path = join(directory, file);
    writeFileSync(path, 'x\n');
    utimesSync(path, (now - ageMs) / 1_000, (now - ageMs) / 1_000);
  };
  const left = (open: string[] = []): string[] => {
    trimClosedLogs(directory, new Set(open), now);
    return readdirSync(directory).sort();
  };

  test(`are kept for ${laneLimits.closedLaneLogMsMax} ms after the last line of the lane`, () => {
    write('lane_a.front.log', laneLimits.closedLaneLogMsMax);
    write('lane_a.back.log', laneLimits.closedLaneLogMsMax + 1_000);
    write('lane_b.back.log', laneLimits.closedLaneLogMsMax + 1_000);
    expect(left()).toEqual(['lane_a.back.log', 'lane_a.front.log']);
  });

  test(`are kept for the last ${laneLimits.closedLaneLogsMax} lanes`, () => {
    for (let number = 0; number <= laneLimits.closedLaneLogsMax; number++) {
      write(`lane_${number}.back.log`, number * 1_000);
    }
    const files = left();
    expect(files).toHaveLength(laneLimits.closedLaneLogsMax);
    expect(files).not.toContain(`lane_${laneLimits.closedLaneLogsMax}.back.log`);
  });

  test('are removed without touching anything else', () => {
    const old = 2 * laneLimits.closedLaneLogMsMax;
    for (const file of ['back.log', 'daemon.log', 'lane_open.back.log', 'lane_x.txt']) {
      write(file, old);
    }
    expect(left(['lane_open'])).toHaveLength(4);
    rmSync(directory, { recursive: true });
    expect(() => trimClosedLogs(directory, new Set(), now)).not.toThrow();
    directory = mkdtempSync(join(tmpdir(), 'surety-logs-'));
  });
});
