/** The smallest parts that amounts are rounded to: cents, and whole ones. */
const units = [0.01, 1];
/** Even and odd, small and large; each is half a unit above so many units. */
const wholes = [134, 135, 15_553];
const ratesMax = 2;

/**
 * Pure: numbers whose product with a rate lies in the middle of two amounts: 1,345 for a rate of
 * 0.001 and cents, which is 1.345. Ways of rounding differ there, and so do decimal and binary
 * numbers. Whole numbers only in place of a whole number, if there are enough of them.
 */
export function roundingTies(rates: readonly number[], like: number): number[] {
  const ties = [...rates.slice(0, ratesMax), 1].flatMap((rate) =>
    units.flatMap((unit) => wholes.map((whole) => ((whole + 0.5) * unit) / rate)),
  );
  const all = [...new Set(ties.map(exact))].filter((tie) => tie < tieMax);
  const isWhole = Number.isInteger(like) && all.some(Number.isInteger);
  return isWhole ? all.filter(Number.isInteger) : all.slice(0, tiesMax);
}

const tiesMax = 9;
const tieMax = 1e9;

/** Without what dividing by a binary number leaves behind. */
function exact(number: number): number {
  return Number(number.toPrecision(12));
}
