import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { redactText } from '../../kernel/index.ts';
import type { LogPart, LogRequest } from './host.ts';

const bytesMax = 1024 * 1024;

/** The end of a log, or what was added since; at most so much of it, and secrets removed. */
export function readLogPart(path: string, { lines, after }: LogRequest): LogPart {
  if (!existsSync(path)) return { lines: [], next: 0 };
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    // A log that was cut since the last read is read again from its start.
    const wanted = after === undefined || after > size ? 0 : after;
    const from = Math.max(wanted, size - bytesMax);
    const bytes = Buffer.alloc(size - from);
    const length = readSync(descriptor, bytes, 0, bytes.length, from);
    const end = bytes.subarray(0, length).lastIndexOf(10) + 1;
    const all = bytes.toString('utf8', 0, Math.max(0, end - 1)).split('\n');
    const whole = from > wanted ? all.slice(1) : all;
    const shown = end === 0 || lines === 0 ? [] : whole.slice(-lines);
    const isCut = end > 0 && (from > wanted || shown.length < whole.length);
    return { lines: shown.map(redactText), next: from + end, isCut };
  } finally {
    closeSync(descriptor);
  }
}
