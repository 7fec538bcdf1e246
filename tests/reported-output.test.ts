import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { telemetryLimits } from '../src/telemetry/limits.ts';

test('the preload and telemetry truncate lines alike, so that a long one is stored once', () => {
  const { lineCharsMax } = createRequire(import.meta.url)(
    '../src/preload/reports/process/lines.cjs',
  );
  expect(lineCharsMax).toBe(telemetryLimits.telemetryTextCharsMax);
});
