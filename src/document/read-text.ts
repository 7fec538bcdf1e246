import { readFileSync, statSync } from 'node:fs';

/** A text of at most so many bytes. Throws an Error whose message is the reason. */
export function readText(path: string, bytesMax: number): string {
  const { size } = statSync(path);
  if (size > bytesMax) throw new Error(`it has ${size} bytes; at most ${bytesMax} are read`);
  return readFileSync(path, 'utf8');
}
