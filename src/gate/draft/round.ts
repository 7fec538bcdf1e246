/** The smallest of … -2, -1, 0, 1, 2, 5, 10, 20, 50 … that is not below the value. */
export function roundUp(value: number): number {
  if (value < 0) return -step(-value, 'down');
  return step(value, 'up');
}

export function roundDown(value: number): number {
  if (value < 0) return -step(-value, 'up');
  return step(value, 'down');
}

function step(value: number, to: 'up' | 'down'): number {
  if (value === 0) return 0;
  if (value < 1) return to === 'up' ? 1 : 0;
  const power = 10 ** Math.floor(Math.log10(value));
  const marks = [1, 2, 5, 10].map((mark) => mark * power);
  const found =
    to === 'up' ? marks.find((mark) => mark >= value) : marks.findLast((mark) => mark <= value);
  return Math.min(found ?? value, Number.MAX_SAFE_INTEGER);
}
