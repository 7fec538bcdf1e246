import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationText, parseDuration, parseTimestamp, timestampText } from './time-text.ts';

describe('a timestamp', () => {
  test.each<[string, number | undefined]>([
    ['1970-01-01T00:00:00Z', 0],
    ['1970-01-01t00:00:00z', 0],
    ['1970-01-01T01:30:00+01:30', 0],
    ['1969-12-31T23:00:00-01:00', 0],
    ['1970-01-01T00:00:00.250Z', 250],
    ['1970-01-01T00:00:00.25Z', 250],
    ['1970-01-01T00:00:00.250000000Z', 250],
    ['0001-01-01T00:00:00Z', -62_135_596_800_000],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2023-02-29T00:00:00Z', undefined],
    ['2026-04-31T00:00:00Z', undefined],
    ['2026-13-01T00:00:00Z', undefined],
    ['2026-00-10T00:00:00Z', undefined],
    ['2026-01-01T24:00:00Z', undefined],
    ['2026-01-01T23:60:00Z', undefined],
    ['2026-01-01T23:59:60Z', undefined],
    ['2026-01-01T00:00:00', undefined],
    ['2026-01-01', undefined],
    ['2026-01-01T00:00:00+24:00', undefined],
    ['0000-01-01T00:00:00Z', undefined],
    ['9999-12-31T23:59:59-00:01', undefined],
    ['1970-01-01T00:00:00.0001Z', undefined],
    [' 1970-01-01T00:00:00Z', undefined],
    ['1'.repeat(100_000), undefined],
  ])('is parsed or rejected: %s', (text, wanted) => {
    expect(parseTimestamp(text)).toBe(wanted);
  });

  test('is formatted in the form in which it is parsed', () => {
    const times = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
    fc.assert(fc.property(times, (ms) => parseTimestamp(timestampText(ms)) === ms));
    expect(timestampText(250)).toBe('1970-01-01T00:00:00.25Z');
    expect(timestampText(0)).toBe('1970-01-01T00:00:00Z');
  });
});

describe('a duration', () => {
  test.each<[string, number | undefined]>([
    ['1h', 3_600_000],
    ['1h30m', 5_400_000],
    ['-1.5h', -5_400_000],
    ['+250ms', 250],
    ['.5s', 500],
    ['1.s', 1_000],
    ['1000us', 1],
    ['1000000ns', 1],
    ['0.001s', 1],
    ['0', 0],
    ['-0', 0],
    ['2562047h', 9_223_369_200_000],
    ['2562048h', undefined],
    ['1us', undefined],
    ['0.0001s', undefined],
    ['1', undefined],
    ['1d', undefined],
    ['h', undefined],
    ['', undefined],
    ['-', undefined],
    ['1h ', undefined],
    ['--1h', undefined],
    ['1'.repeat(100_000), undefined],
  ])('is parsed or rejected: %s', (text, wanted) => {
    expect(parseDuration(text)).toBe(wanted);
  });

  test('is formatted in the form in which it is parsed', () => {
    const times = fc.integer({ min: -9_223_372_036_854, max: 9_223_372_036_854 });
    fc.assert(fc.property(times, (ms) => parseDuration(durationText(ms)) === ms));
  });
});
