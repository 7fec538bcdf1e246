/** ` Did you mean "amount"?`, or nothing when no name is near. */
export function suggest(name: string, known: readonly string[]): string {
  const near = known
    .map((candidate) => ({ candidate, distance: distance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, candidate.length / 3))
    .sort((one, other) => one.distance - other.distance)[0];
  if (near) return `; did you mean "${near.candidate}"?`;
  return known.length > 0 ? `; there is ${known.slice(0, 12).join(', ')}` : '';
}

/** Letters to change, add or leave away, in lower case. */
function distance(one: string, other: string): number {
  const [a, b] = [one.toLowerCase().slice(0, 64), other.toLowerCase().slice(0, 64)];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] as number) + Number(a[i - 1] !== b[j - 1]);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
