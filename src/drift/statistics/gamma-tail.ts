const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The logarithm of the gamma function for a positive number (Lanczos, g = 7). */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const at = x - 1;
  const base = at + 7.5;
  const sum = lanczos.reduce(
    (total, factor, index) => total + factor / (at + index + 1),
    0.99999999999980993,
  );
  return 0.5 * Math.log(2 * Math.PI) + (at + 0.5) * Math.log(base) - base + Math.log(sum);
}

const stepsMax = 500;
const precision = 1e-14;

/** The regularised upper incomplete gamma function Q(shape, x): how likely more than x is. */
export function gammaTail(shape: number, x: number): number {
  if (x <= 0) return 1;
  const scale = Math.exp(shape * Math.log(x) - x - logGamma(shape));
  return x < shape + 1 ? 1 - scale * series(shape, x) : scale * fraction(shape, x);
}

function series(shape: number, x: number): number {
  let [term, sum] = [1 / shape, 1 / shape];
  for (let step = 1; step <= stepsMax && term > sum * precision; step++) {
    term *= x / (shape + step);
    sum += term;
  }
  return sum;
}

/** The continued fraction by Lentz's method, which keeps small tails exact. */
function fraction(shape: number, x: number): number {
  const tiny = 1e-300;
  let b = x + 1 - shape;
  let [c, d] = [1 / tiny, 1 / b];
  let value = d;
  for (let step = 1; step <= stepsMax; step++) {
    const a = -step * (step - shape);
    b += 2;
    d = 1 / (a * d + b || tiny);
    c = b + a / c || tiny;
    value *= d * c;
    if (Math.abs(d * c - 1) < precision) break;
  }
  return value;
}

/** How likely a chi-square variable with these degrees of freedom is at least this large. */
export const chiSquareTail = (freedom: number, statistic: number): number =>
  freedom === 0 ? 1 : gammaTail(freedom / 2, statistic / 2);
