import { expect, test } from 'vitest';
import { telemetryLimits } from '../../telemetry/limits.ts';
import { TelemetrySilence } from './telemetry-silence.ts';

const silentMs = telemetryLimits.telemetrySilentMsMax;

interface Moment {
  readonly at: number;
  readonly answers?: boolean;
  readonly isRunning?: boolean;
}

/** How often a telemetry process was replaced that was looked at in these moments. */
async function replacedAt(...moments: readonly Moment[]): Promise<number> {
  let [moment, replaced] = [{ at: 0 } as Moment, 0];
  const silence = new TelemetrySilence({
    answers: async () => moment.answers ?? false,
    isRunning: async () => moment.isRunning ?? true,
    replace: async () => {
      replaced += 1;
    },
    nowMs: () => moment.at,
  });
  for (moment of moments) await silence.look();
  return replaced;
}

test.each<[string, number, readonly Moment[]]>([
  ['is replaced if it is silent for the longest time', 1, [{ at: 0 }, { at: silentMs }]],
  ['stays if it is silent for less', 0, [{ at: 0 }, { at: silentMs - 1 }]],
  [
    'stays if it answered meanwhile',
    0,
    [{ at: 0 }, { at: silentMs / 2, answers: true }, { at: silentMs }],
  ],
  [
    'is left to the keeper if it does not run',
    0,
    [
      { at: 0, isRunning: false },
      { at: silentMs, isRunning: false },
    ],
  ],
  [
    'is replaced once, not at each look',
    1,
    [{ at: 0 }, { at: silentMs }, { at: silentMs + 1_000 }],
  ],
])('a telemetry process that runs and does not answer %s', async (_, times, moments) => {
  expect(await replacedAt(...moments)).toBe(times);
});
