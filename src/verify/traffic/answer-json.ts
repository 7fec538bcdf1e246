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

/** The JSON of an answer, decompressed if need be; null if it is not JSON. */
export function readAnswer(bytes: Buffer, encoding = ''): Json {
  const unpack = unpackers.get(encoding.trim().toLowerCase());
  try {
    // A few compressed bytes may expand to gigabytes.
    const text = unpack
      ? unpack(bytes, { maxOutputLength: sharedLimits.takenBodyBytesMax })
      : bytes;
    return JSON.parse(text.toString('utf8')) as Json;
  } catch {
    return null;
  }
}
