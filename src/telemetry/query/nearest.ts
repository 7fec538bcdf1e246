const nearestMost = 3;

/** The candidates that somebody may have meant, best first. */
export function nearest(name: string, candidates: readonly string[]): readonly string[] {
  const wanted = name.toLowerCase();
  const far = Math.max(2, Math.floor(wanted.length / 3));
  return candidates
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate) }))
    .filter((one) => one.distance <= far)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, nearestMost)
    .map((one) => one.candidate);
}

/** How many letters have to be changed, added or taken away. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
