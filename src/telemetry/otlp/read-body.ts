import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { telemetryLimits } from '../limits.ts';
import type { AdmittedMessage } from './admission.ts';
import { OtlpRefusal } from './refusal.ts';

const unpackers = { gzip: promisify(gunzip), deflate: promisify(inflate) } as const;

/** The body of a message, unpacked. Neither packed nor unpacked is it larger than allowed. */
export async function readBody(
  request: IncomingMessage,
  entered: AdmittedMessage,
): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity' && !Object.hasOwn(unpackers, encoding)) {
    throw new OtlpRefusal(
      415,
      `content-encoding ${encoding} is not known: use gzip, deflate or none`,
    );
  }
  const packed = await collect(request, entered);
  if (encoding === 'identity') return packed;
  return unpack(packed, encoding as keyof typeof unpackers, entered);
}

async function collect(request: IncomingMessage, entered: AdmittedMessage): Promise<Buffer> {
  const most = telemetryLimits.telemetryMessageBytesMax;
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Not destroyed on the way out: the sender is still to hear why it was refused.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > most) throw tooLarge();
    if (!entered.hold(chunk.length))
      throw new OtlpRefusal(503, 'too much is being received at once');
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

async function unpack(
  packed: Buffer,
  encoding: keyof typeof unpackers,
  entered: AdmittedMessage,
): Promise<Buffer> {
  if (packed.length === 0) return packed;
  try {
    const options = { maxOutputLength: telemetryLimits.telemetryMessageBytesMax };
    const bytes = await unpackers[encoding](packed, options);
    if (!entered.hold(bytes.length))
      throw new OtlpRefusal(503, 'too much is being received at once');
    return bytes;
  } catch (error) {
    if (error instanceof OtlpRefusal) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new OtlpRefusal(400, `it is not ${encoding}: ${(error as Error).message}`);
  }
}

function tooLarge(): OtlpRefusal {
  const most = telemetryLimits.telemetryMessageBytesMax;
  return new OtlpRefusal(
    413,
    `a message has at most ${most} bytes, unpacked: send smaller batches`,
  );
}
