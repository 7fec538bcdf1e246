import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import type { Config } from '../../system/index.ts';
import { findPlace } from '../place.ts';
import { createTelemetryDesk } from './telemetry-desk.ts';

test.each([
  [false, 'TELEMETRY_OFF', 'turned off in surety.yaml'],
  [true, 'TELEMETRY_UNREACHABLE', 'none was started here'],
])(
  'a query without a telemetry process says why (telemetry enabled: %s)',
  async (enabled, code, why) => {
    const place = findPlace(tmpdir(), 'surety-of-nobody');
    const config = { telemetry: { enabled } } as Config;
    const desk = createTelemetryDesk({ place, config });
    await expect(desk.query('SELECT 1', {})).rejects.toMatchObject({
      code,
      message: expect.stringContaining(why),
    });
  },
);
