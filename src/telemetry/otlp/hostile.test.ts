import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isDeep, runs } from '../../../tests/harness/deep.ts';
import type { Signal } from './answer.ts';
import { exportedMessages } from './exported.fixture.ts';
import { MalformedMessage } from './proto/proto-reader.ts';
import { createScene, type Scene } from './scene.fixture.ts';
import { type Encoding, takeIn } from './signals.ts';

let exported: Readonly<Record<Signal, Buffer>>;
beforeAll(async () => {
  exported = await exportedMessages();
});
let scene: Scene;
beforeEach(() => {
  scene = createScene();
});

const signals: readonly Signal[] = ['traces', 'metrics', 'logs'];

/** Taken, in whole or in part, or refused in words: anything else would end in a crash. */
function outcome(signal: Signal, bytes: Buffer, encoding: Encoding = 'proto'): 'taken' | 'refused' {
  try {
    takeIn(scene.intake, signal, { encoding, bytes, sender: '' });
    return 'taken';
  } catch (error) {
    if (error instanceof MalformedMessage) return 'refused';
    throw error;
  }
}

// proves: telemetry.hostile-otlp
describe.each(signals)(
  'a damaged message of %s is accepted or refused without a crash:',
  (signal) => {
    test('unchanged', () => {
      expect(exported[signal].length).toBeGreaterThan(100);
      expect(outcome(signal, exported[signal])).toBe('taken');
      expect(scene.kept.rows[signal === 'traces' ? 'spans' : signal]).not.toEqual([]);
    });

    test('truncated at any byte', () => {
      const bytes = exported[signal];
      const seen = new Set<string>();
      for (let end = 0; end < bytes.length; end++)
        seen.add(outcome(signal, bytes.subarray(0, end)));
      // Only nothing at all is whole.
      expect([...seen]).toEqual(['taken', 'refused']);
    });

    test('with any byte replaced', () => {
      const bytes = exported[signal];
      const outcomes = { taken: 0, refused: 0 };
      for (let at = 0; at < bytes.length; at++) {
        const others = [0x00, 0x01, 0x7f, 0x80, 0xff, (bytes[at] ?? 0) ^ 0x08];
        for (const byte of isDeep ? others : others.slice(at % 6, (at % 6) + 1)) {
          const changed = Buffer.from(bytes);
          changed[at] = byte;
          outcomes[outcome(signal, changed)] += 1;
        }
      }
      expect(outcomes.taken).toBeGreaterThan(0);
      expect(outcomes.refused).toBeGreaterThan(0);
    });

    test('with parts repeated, removed and swapped', () => {
      const bytes = exported[signal];
      const place = fc.nat({ max: bytes.length });
      fc.assert(
        fc.property(fc.array(fc.tuple(place, place), { minLength: 1, maxLength: 8 }), (parts) => {
          const pieces = parts.map(([from, to]) => bytes.subarray(Math.min(from, to), to));
          expect(['taken', 'refused']).toContain(outcome(signal, Buffer.concat(pieces)));
        }),
        { numRuns: runs(100, 10_000) },
      );
    });

    test('with random content, as protobuf and as JSON', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), fc.json({ maxDepth: 6 }), (bytes, json) => {
          expect(['taken', 'refused']).toContain(outcome(signal, Buffer.from(bytes)));
          expect(['taken', 'refused']).toContain(outcome(signal, Buffer.from(json), 'json'));
        }),
        { numRuns: runs(100, 10_000) },
      );
    });

    test('as JSON of the right form with values of the wrong type', () => {
      const parts: Record<Signal, readonly string[]> = {
        traces: ['resourceSpans', 'scopeSpans', 'spans', 'attributes', 'value', 'arrayValue'],
        metrics: ['resourceMetrics', 'scopeMetrics', 'metrics', 'sum', 'dataPoints', 'attributes'],
        logs: ['resourceLogs', 'scopeLogs', 'logRecords', 'body', 'kvlistValue', 'values'],
      };
      fc.assert(
        fc.property(fc.nat({ max: 6 }), fc.jsonValue({ maxDepth: 3 }), (depth, value) => {
          const path = parts[signal].slice(0, depth);
          const message = path.reduceRight<unknown>((inner, key) => ({ [key]: [inner] }), value);
          const bytes = Buffer.from(JSON.stringify(message));
          expect(['taken', 'refused']).toContain(outcome(signal, bytes, 'json'));
        }),
        { numRuns: runs(100, 10_000) },
      );
    });
  },
);

describe('a hostile message is accepted or refused without a crash:', () => {
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value % 128) | 0x80, ...varint(Math.floor(value / 128))];
  const field = (number: number, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
  const inSpan = (bytes: Buffer): Buffer => field(1, field(2, field(2, bytes)));

  // proves: telemetry.hostile-otlp
  test.each<[string, () => Buffer, 'taken' | 'refused']>([
    [
      'a length of four gigabytes',
      () => Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
      'refused',
    ],
    ['a number without end', () => Buffer.alloc(1_000, 0xff), 'refused'],
    [
      'a name that reaches into the next span',
      () => {
        const [one, other] = [Buffer.from([0x2a, 0x05, 0x61]), Buffer.from([0x2a, 0x01, 0x62])];
        return field(1, field(2, Buffer.concat([field(2, one), field(2, other)])));
      },
      'refused',
    ],
    ['a group', () => Buffer.from([0x0b, 0x0c]), 'refused'],
    ['the field 0', () => Buffer.from([0x02, 0x00]), 'refused'],
    [
      'a value within a value, two thousand times',
      () => {
        let value: Buffer = Buffer.from([0x10, 0x01]);
        for (let depth = 0; depth < 2_000; depth++) value = field(5, field(1, value));
        return inSpan(field(9, field(2, value)));
      },
      'refused',
    ],
    [
      'a million spans',
      () => field(1, field(2, Buffer.alloc(2_000_000, Buffer.from([0x12, 0x00])))),
      'taken',
    ],
    [
      'a million attributes',
      () => inSpan(Buffer.alloc(2_000_000, Buffer.from([0x4a, 0x00]))),
      'taken',
    ],
    ['a million events', () => inSpan(Buffer.alloc(2_000_000, Buffer.from([0x5a, 0x00]))), 'taken'],
    ['texts that are no UTF-8', () => inSpan(field(5, Buffer.alloc(300, 0xc3))), 'taken'],
  ])('%s', (_, make, expected) => {
    expect(outcome('traces', make())).toBe(expected);
    expect(scene.kept.rows.spans).toEqual([]);
  });

  test('a map whose keys are names of Object.prototype', () => {
    const bytes = Buffer.from(
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"kvlistValue":{"values":[{"key":"__proto__","value":{"intValue":"1"}},{"key":"constructor"}]}}}]}]}]}',
    );
    expect(outcome('logs', bytes, 'json')).toBe('taken');
    expect(scene.kept.rows.logs[0]?.text).toBe('{"__proto__":1,"constructor":null}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
