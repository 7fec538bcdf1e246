/** Where a share may be. */
export interface ShareInterval {
  readonly low: number;
  readonly high: number;
}

/** Of so many that happened among so many: 95 % on both sides together (Clopper and Pearson). */
export function shareInterval(happened: number, all: number): ShareInterval {
  if (all === 0) return { low: 0, high: 1 };
  return {
    low: happened === 0 ? 0 : solve((share) => 1 - atMost(happened - 1, all, share) < tail),
    high: happened === all ? 1 : solve((share) => atMost(happened, all, share) > tail),
  };
}

const tail = 0.025;

/** The share at which it stops to hold; it holds at 0. */
function solve(holds: (share: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** How likely it is that it happens no more often, by sums of logarithms: factorials overflow. */
function atMost(happened: number, all: number, share: number): number {
  let [term, sum] = [all * Math.log1p(-share), 0];
  for (let count = 0; count <= happened; count++) {
    sum += Math.exp(term);
    term += Math.log((all - count) / (count + 1)) + Math.log(share) - Math.log1p(-share);
  }
  return Math.min(1, sum);
}
