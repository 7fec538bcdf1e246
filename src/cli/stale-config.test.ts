import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { staleConfig } from './stale-config.ts';

test('warns when surety.yaml was written after the daemon started', () => {
  const directory = mkdtempSync(join(tmpdir(), 'surety-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'surety.yaml');
  expect(staleConfig(file, 1_000_000)).toEqual([]);
  writeFileSync(file, 'services: {}\n');
  utimesSync(file, 1_000, 1_000);
  expect(staleConfig(file, 1_000_000)).toEqual([]);
  const told = staleConfig(file, 999_999).join('\n');
  expect(told).toContain('surety system restart <service>');
  expect(told).toContain('surety down && surety up');
});
