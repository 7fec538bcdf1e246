/** Temporary reasons why rows cannot be stored. */
export type Trouble = 'disk-full' | 'memory-full';

/** Null if the error will not go away by itself. */
export function troubleOf(error: unknown): Trouble | null {
  const message = error instanceof Error ? error.message : String(error);
  if (/No space left|ENOSPC|EDQUOT|quota exceeded/i.test(message)) return 'disk-full';
  if (/Out of Memory|bad_alloc|could not allocate/i.test(message)) return 'memory-full';
  return null;
}
