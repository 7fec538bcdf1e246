import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { telemetryLimits } from '../limits.ts';
import { arrivalAt, isPlausible, repairTime } from './plausible-time.ts';
import {
  createScene,
  logsOf,
  metricsOf,
  nowMs,
  nowNs,
  type Scene,
  span,
  spansOf,
} from './scene.fixture.ts';

let scene: Scene;
beforeEach(() => {
  scene = createScene();
});

const skewNs = BigInt(telemetryLimits.telemetrySkewMsMax) * 1_000_000n;
const nowOf = (divisor: bigint): bigint => nowNs / divisor;

describe('an implausible time', () => {
  test.each<[string, bigint, bigint, string | undefined]>([
    ['is not one in the past', nowNs - 1n, nowNs - 1n, undefined],
    ['is not one slightly ahead', nowNs + skewNs, nowNs + skewNs, undefined],
    ['is one further ahead', nowNs + skewNs + 1n, nowNs, 'arrival'],
    ['is corrected: 0', 0n, nowNs, 'arrival'],
    ['is corrected: 1970', 3_600_000_000_000n, nowNs, 'arrival'],
    ['is corrected: 2100', 4_102_444_800_000_000_000n, nowNs, 'arrival'],
    ['is corrected: microseconds', nowOf(1_000n), nowNs, 'microseconds'],
    ['is corrected: milliseconds', nowOf(1_000_000n), nowNs, 'milliseconds'],
    ['is corrected: seconds', nowOf(1_000_000_000n), nowNs, 'seconds'],
    ['is corrected: all bits set', (1n << 64n) - 1n, nowNs, 'arrival'],
  ])('%s', (_, reported, expected, repair) => {
    const times = { startTimeUnixNano: String(reported), endTimeUnixNano: String(reported) };
    scene.send('traces', spansOf([span(times)]));
    const [row] = scene.kept.rows.spans;
    expect(row?.startNs).toBe(expected);
    expect(JSON.parse(row?.attributes ?? '')['surety.time']).toBe(repair);
    expect(scene.intake.counts.get('times repaired')).toBe(repair === undefined ? 0 : 1);
  });

  test('is corrected together with the duration in the same unit', () => {
    const startMs = BigInt(nowMs) - 30n;
    const times = { startTimeUnixNano: String(startMs), endTimeUnixNano: String(nowMs) };
    scene.send('traces', spansOf([span(times)]));
    expect(scene.kept.rows.spans[0]).toMatchObject({ durationNs: 30_000_000n });
  });

  test.each<[string, bigint]>([
    ['before its beginning', nowNs - 1_000n],
    ['never', 0n],
    ['in 2100', 4_102_444_800_000_000_000n],
  ])('as an end gives a span that ended %s no duration', (_, end) => {
    scene.send(
      'traces',
      spansOf([span({ startTimeUnixNano: String(nowNs), endTimeUnixNano: String(end) })]),
    );
    const [row] = scene.kept.rows.spans;
    expect(row).toMatchObject({ startNs: nowNs, durationNs: 0n });
    expect(row?.attributes).toContain('"surety.time":"end"');
  });

  test('is corrected in logs and metrics, too', () => {
    const ms = String(nowMs);
    scene.send('logs', logsOf([{ timeUnixNano: ms }, { observedTimeUnixNano: String(nowNs) }]));
    scene.send(
      'metrics',
      metricsOf([{ name: 'm', gauge: { dataPoints: [{ timeUnixNano: ms, asInt: '1' }] } }]),
    );
    expect(scene.kept.rows.logs.map(({ atNs }) => atNs)).toEqual([nowNs, nowNs]);
    expect(scene.kept.rows.metrics[0]?.atNs).toBe(nowNs);
    expect(scene.intake.counts.get('times repaired')).toBe(2);
  });
});

test('any reported time is stored as a plausible one', () => {
  const arrival = arrivalAt(nowMs);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (reported) => {
      const ns = isPlausible(reported, arrival) ? reported : repairTime(reported, arrival).ns;
      expect(isPlausible(ns, arrival)).toBe(true);
    }),
  );
});
