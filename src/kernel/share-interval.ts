/** The interval of a share. */
interface ShareInterval {
  readonly low: number;
  readonly high: number;
}

/** The 95 % interval of `happened` among `all` (Clopper and Pearson). */
export function shareInterval(happened: number, all: number): ShareInterval {
  if (all === 0) return { low: 0, high: 1 };
  return {
    low: happened === 0 ? 0 : solve((share) => 1 - atMost(happened - 1, all, share) < tail),
    high: happened === all ? 1 : solve((share) => atMost(happened, all, share) > tail),
  };
}

const tail = 0.025;

/** The share at which the condition stops to hold; it holds at 0. */
function solve(holds: (share: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The probability of at most so many, in logarithms because factorials overflow. */
function atMost(happened: number, all: number, share: number): number {
  let [term, sum] = [all * Math.log1p(-share), 0];
  for (let count = 0; count <= happened; count++) {
    sum += Math.exp(term);
    term += Math.log((all - count) / (count + 1)) + Math.log(share) - Math.log1p(-share);
  }
  return Math.min(1, sum);
}
