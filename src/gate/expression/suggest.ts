import { nearest } from '../../kernel/index.ts';

/** `; did you mean "amount"?`, or the names that exist when none is close. */
export function suggest(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return `; did you mean "${near}"?`;
  return known.length > 0 ? `; there is ${known.slice(0, 12).join(', ')}` : '';
}
