import { fault } from '../kernel/index.ts';

/** Where an answer goes on. `of` names what it is an answer to: another one has no such place. */
export interface Cursor {
  readonly offset: number;
  readonly of: string;
}

export function writeCursor({ offset, of }: Cursor): string {
  return Buffer.from(JSON.stringify([offset, of])).toString('base64url');
}

/** How far the answers before have come. */
export function readCursor(text: string | undefined, of: string): number {
  if (text === undefined) return 0;
  const [offset, made] = parse(text);
  if (typeof offset !== 'number' || !Number.isSafeInteger(offset) || offset < 0 || made !== of) {
    throw fault('CURSOR_UNKNOWN', {});
  }
  return offset;
}

function parse(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
