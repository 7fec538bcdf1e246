import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { telemetryLimits } from '../src/telemetry/limits.ts';

test('the preload cuts lines as telemetry does: otherwise a long one would be stored twice', () => {
  const { lineCharsMax } = createRequire(import.meta.url)(
    '../src/preload/reports/process/lines.cjs',
  );
  expect(lineCharsMax).toBe(telemetryLimits.telemetryTextCharsMax);
});
