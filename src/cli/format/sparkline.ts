const bars = '▁▂▃▄▅▆▇█';

/** A line of small bars between the smallest and the largest value; gaps where there is none. */
export function sparkline(
  steps: readonly number[],
  values: readonly number[],
  columns: number,
): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const at = new Map(steps.map((step, index) => [step, values[index] ?? 0]));
  return Array.from({ length: columns }, (_, step) => {
    const value = at.get(step);
    if (value === undefined) return ' ';
    const share = most === least ? 0 : (value - least) / (most - least);
    return bars[Math.round(share * (bars.length - 1))];
  }).join('');
}

const byteSteps = ['B', 'kB', 'MB', 'GB', 'TB'];

/** For people: bytes in a larger unit, all numbers with few digits. */
export function quantity(value: number, unit: string): string {
  if (unit !== 'By' && unit !== 'bytes')
    return `${few(value)}${unit === '' || unit === '1' ? '' : ` ${unit}`}`;
  let [shown, step] = [value, 0];
  while (Math.abs(shown) >= 1_024 && step < byteSteps.length - 1) {
    shown /= 1_024;
    step += 1;
  }
  return `${few(shown)} ${byteSteps[step]}`;
}

function few(value: number): string {
  return String(Number(value.toPrecision(4)));
}
