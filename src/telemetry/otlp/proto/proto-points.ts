import { telemetryLimits } from '../../limits.ts';
import {
  attributeList,
  type BucketsDraft,
  type ExponentialDraft,
  type PointDraft,
} from '../drafts.ts';
import type { ProtoReader, ReadField } from './proto-reader.ts';
import { readAttribute } from './proto-values.ts';

export function emptyPoint(): PointDraft {
  return {
    ...attributeList(),
    atNs: 0n,
    value: 0,
    count: 0,
    bounds: [],
    counts: [],
    exponential: null,
    quantiles: [],
    flags: 0,
  };
}

function pointReader(readField: ReadField<PointDraft>): (reader: ProtoReader) => PointDraft {
  const readPointField: ReadField<PointDraft> = (reader, tag, point) => {
    if (tag === 0x19) point.atNs = reader.fixed64();
    else readField(reader, tag, point);
  };
  return (reader) => reader.message(emptyPoint(), readPointField);
}

export const readNumberPoint: (reader: ProtoReader) => PointDraft = pointReader(
  (reader, tag, point) => {
    if (tag === 0x3a) readAttribute(reader, point);
    else if (tag === 0x21) point.value = reader.double();
    else if (tag === 0x31) point.value = Number(reader.sfixed64());
    else if (tag === 0x40) point.flags = reader.uint32();
    else reader.skip(tag);
  },
);

export const readHistogramPoint: (reader: ProtoReader) => PointDraft = pointReader(
  (reader, tag, point) => {
    if (tag === 0x4a) readAttribute(reader, point);
    else if (tag === 0x21) point.count = Number(reader.fixed64());
    else if (tag === 0x29) point.value = reader.double();
    else if (tag === 0x31) point.counts.push(Number(reader.fixed64()));
    else if (tag === 0x32) packed(reader, point.counts, () => Number(reader.fixed64()));
    else if (tag === 0x39) point.bounds.push(reader.double());
    else if (tag === 0x3a) packed(reader, point.bounds, () => reader.double());
    else if (tag === 0x50) point.flags = reader.uint32();
    else reader.skip(tag);
  },
);

export const readExponentialPoint: (reader: ProtoReader) => PointDraft = pointReader(
  (reader, tag, point) => {
    point.exponential ??= emptyExponential();
    const { exponential } = point;
    if (tag === 0x0a) readAttribute(reader, point);
    else if (tag === 0x21) point.count = Number(reader.fixed64());
    else if (tag === 0x29) point.value = reader.double();
    else if (tag === 0x30) exponential.scale = reader.sint32();
    else if (tag === 0x39) exponential.zeroCount = Number(reader.fixed64());
    else if (tag === 0x42) reader.message(exponential.positive, readBucketsField);
    else if (tag === 0x4a) reader.message(exponential.negative, readBucketsField);
    else if (tag === 0x50) point.flags = reader.uint32();
    else if (tag === 0x71) exponential.zeroThreshold = reader.double();
    else reader.skip(tag);
  },
);

export const readSummaryPoint: (reader: ProtoReader) => PointDraft = pointReader(
  (reader, tag, point) => {
    if (tag === 0x3a) readAttribute(reader, point);
    else if (tag === 0x21) point.count = Number(reader.fixed64());
    else if (tag === 0x29) point.value = reader.double();
    else if (tag === 0x32 && point.quantiles.length <= telemetryLimits.telemetryBucketsMax) {
      point.quantiles.push(reader.message([0, 0], readQuantileField));
    } else if (tag === 0x40) point.flags = reader.uint32();
    else reader.skip(tag);
  },
);

export function emptyExponential(): ExponentialDraft {
  return {
    scale: 0,
    zeroCount: 0,
    zeroThreshold: 0,
    positive: { offset: 0, counts: [] },
    negative: { offset: 0, counts: [] },
  };
}

function readBucketsField(reader: ProtoReader, tag: number, buckets: BucketsDraft): void {
  if (tag === 0x08) buckets.offset = reader.sint32();
  else if (tag === 0x10) buckets.counts.push(Number(reader.int64()));
  else if (tag === 0x12) packed(reader, buckets.counts, () => Number(reader.int64()));
  else reader.skip(tag);
}

function readQuantileField(reader: ProtoReader, tag: number, quantile: [number, number]): void {
  if (tag === 0x09) quantile[0] = reader.double();
  else if (tag === 0x11) quantile[1] = reader.double();
  else reader.skip(tag);
}

function packed(reader: ProtoReader, into: number[], read: () => number): void {
  const outer = reader.enter();
  while (!reader.isDone) {
    const number = read();
    if (into.length <= telemetryLimits.telemetryBucketsMax) into.push(number);
  }
  reader.leave(outer);
}
