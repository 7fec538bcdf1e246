import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

const blockBytes = 64 * 1024;

/** The last lines of a file, read from its end, because a log may be large. */
export function lastLines(path: string, count: number): string[] {
  if (!existsSync(path)) return [];
  const descriptor = openSync(path, 'r');
  try {
    let start = fstatSync(descriptor).size;
    let tail = Buffer.alloc(0);
    while (start > 0 && countLines(tail) <= count) {
      const length = Math.min(blockBytes, start);
      start -= length;
      const block = Buffer.alloc(length);
      readSync(descriptor, block, 0, length, start);
      tail = Buffer.concat([block, tail]);
    }
    const lines = tail.toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines.slice(-count);
  } finally {
    closeSync(descriptor);
  }
}

function countLines(text: Buffer): number {
  let lines = 0;
  for (let index = text.indexOf(10); index >= 0; index = text.indexOf(10, index + 1)) lines++;
  return lines;
}
