import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { type Json, sharedLimits } from '../../kernel/index.ts';

type Unpack = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

const unpackers = new Map<string, Unpack>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);

/** What an answer says, packed by its content-encoding or not; null where that is no JSON. */
export function readAnswer(bytes: Buffer, encoding = ''): Json {
  const unpack = unpackers.get(encoding.trim().toLowerCase());
  try {
    // A few packed bytes may be gigabytes.
    const text = unpack
      ? unpack(bytes, { maxOutputLength: sharedLimits.takenBodyBytesMax })
      : bytes;
    return JSON.parse(text.toString('utf8')) as Json;
  } catch {
    return null;
  }
}
