import type { Socket } from 'node:net';
import { fault } from '../../kernel/index.ts';
import { keeperLimits } from '../limits.ts';

const newline = 0x0a;

/**
 * The lines of a stream, without their ends. At most one line is held in memory: the socket is not
 * read while the caller is busy, and a line that is too long is refused before its end was seen.
 */
export async function* readLines(socket: Socket): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  function add(part: Buffer): void {
    length += part.length;
    if (length > keeperLimits.keeperMessageBytesMax) throw tooLong();
    parts.push(part);
  }
  // Left open at the end: the other side may have said all it wants to and still wait for answers.
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end));
      yield Buffer.concat(parts);
      parts = [];
      length = 0;
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
}

export function tooLong(): Error {
  const reason = `a message is longer than ${keeperLimits.keeperMessageBytesMax} bytes`;
  return fault('KEEPER_REQUEST_INVALID', { reason });
}
