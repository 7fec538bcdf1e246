import type { IncomingMessage } from 'node:http';
import { fault } from '../../kernel/index.ts';

/** Counted while it arrives: what the sender says about the length is the sender's word. */
export async function readBytes(message: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Not destroyed on the way out: the sender is still to hear why it was refused.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw fault('REQUEST_TOO_LARGE', { limit: bytesMax });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
