import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { GoCache } from './go-cache.ts';

test('lets Go build with a cache that it cannot write, and keeps other debug settings', () => {
  const directory = mkdtempSync(join(tmpdir(), 'go-cache-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  vi.stubEnv('GODEBUG', 'netdns=go');
  onTestFinished(() => void vi.unstubAllEnvs());
  const variables = new GoCache(directory).variables();
  expect(variables).toEqual({ GOCACHE: directory, GODEBUG: 'netdns=go,goindex=0' });
  expect(existsSync(join(directory, 'ff'))).toBe(true);
});
