import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPlace } from '../place.ts';
import { checkTelemetry } from './doctor-telemetry.ts';

const root = mkdtempSync(join(tmpdir(), 'surety-doctor-telemetry-'));
const other = createServer();
beforeAll(async () => {
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
});
afterAll(() => {
  other.close();
  rmSync(root, { recursive: true });
});

async function check(config: string): Promise<{ level: string; detail: string }> {
  writeFileSync(join(root, 'surety.yaml'), config);
  return checkTelemetry(findPlace(root, '.'));
}

test('doctor says why there is no telemetry', async () => {
  const { port } = other.address() as AddressInfo;
  expect(await check('')).toMatchObject({ level: 'note', detail: expect.stringMatching(/^none/) });
  expect(await check('telemetry: { enabled: false }')).toMatchObject({ level: 'note' });
  const detail = `not running: port ${port} is in use`;
  expect(await check(`telemetry: { grpcPort: ${port} }`)).toMatchObject({ level: 'bad', detail });
});
