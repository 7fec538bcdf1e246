import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Keeper } from '../../keeper/index.ts';
import { parseConfig } from '../../system/index.ts';
import { findPlace } from '../place.ts';
import { createTelemetry, type TelemetryProcess } from './telemetry-process.ts';

const root = mkdtempSync(join(tmpdir(), 'surety-telemetry-process-'));
const other = createServer();
beforeAll(async () => {
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
});
afterAll(() => {
  other.close();
  rmSync(root, { recursive: true });
});

/** A keeper with whom everything that is started ends at once, and was started again in vain. */
function createFailing(text: string): { telemetry: TelemetryProcess; started: string[] } {
  const started: string[] = [];
  const ended = { name: 'telemetry', state: 'exited', restarts: 8, restartAt: null };
  const keeper = {
    list: async () => (started.length === 0 ? [] : [ended]),
    start: async ({ name }: { name: string }) => void started.push(name),
  } as unknown as Keeper;
  const config = parseConfig(text, { path: 'surety.yaml', environment: {} });
  const place = findPlace(root, '.');
  const telemetry = createTelemetry({
    place,
    config,
    log: () => undefined,
    keeper: async () => keeper,
  });
  return { telemetry, started };
}

test('the telemetry process reports a fixed port in use at once and does not start', async () => {
  const { port } = other.address() as AddressInfo;
  const { telemetry, started } = createFailing(`telemetry: { port: ${port} }`);
  expect(await telemetry.ensure()).toBeUndefined();
  expect(telemetry.problem()).toContain(`could not listen on port ${port}`);
  expect(started).toEqual([]);
});

test('a telemetry process that keeps exiting is given up, with the path of its log', async () => {
  const { telemetry, started } = createFailing('telemetry: { enabled: true }');
  expect(telemetry.problem()).toBeNull();
  expect(await telemetry.ensure()).toBeUndefined();
  expect(started).toEqual(['telemetry']);
  expect(telemetry.problem()).toContain('telemetry.log');
});
