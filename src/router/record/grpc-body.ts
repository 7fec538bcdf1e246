import type { Json } from '../../kernel/index.ts';
import { readWireMessage } from './wire-message.ts';

const prefixBytes = 5;

/** The messages of a gRPC body: one as it is, several as a list; null where it can't be read. */
export function readGrpcBody(body: Buffer): Json {
  const messages: Json[] = [];
  for (let at = 0; at < body.length; ) {
    if (at + prefixBytes > body.length) return null;
    const end = at + prefixBytes + body.readUInt32BE(at + 1);
    // Compressed, or cut off: a part of it would have another shape than the whole.
    if (body[at] !== 0 || end > body.length) return null;
    messages.push(readMessage(body.subarray(at + prefixBytes, end)));
    at = end;
  }
  return messages.length > 1 ? messages : (messages[0] ?? null);
}

/** Some send JSON in place of protobuf. */
function readMessage(bytes: Buffer): Json {
  const [first] = bytes;
  if (first === openBrace || first === openBracket) {
    try {
      return JSON.parse(bytes.toString('utf8')) as Json;
    } catch {
      // A message of which the first byte looks so.
    }
  }
  return readWireMessage(bytes);
}

const openBrace = 0x7b;
const openBracket = 0x5b;
