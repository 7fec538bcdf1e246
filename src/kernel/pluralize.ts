/** `1 check`, `2 checks`. */
export function pluralize(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
