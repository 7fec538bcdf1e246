/** The known word nearest to a misspelt one, if it is near enough to be meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // Nobody misspells a word of this length, and comparing it would take long.
  if (word.length > 64) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.ceil(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein, with a swap of neighbours as one edit: that is how people mistype. */
function editDistance(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1;
      const above = rows[row - 1] as number[];
      let distance = Math.min(
        (above[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (above[column - 1] as number) + same,
      );
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && swapped) {
        distance = Math.min(distance, ((rows[row - 2] as number[])[column - 2] as number) + 1);
      }
      current.push(distance);
    }
    rows.push(current);
  }
  return rows[left.length]?.[right.length] ?? 0;
}
