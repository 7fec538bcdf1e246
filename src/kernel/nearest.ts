/** The known word that a misspelt one most likely stands for, if any is close enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  return rankNearest(word, known)[0];
}

/** Every known word that a misspelt one may stand for, the closest first. */
export function rankNearest(word: string, known: readonly string[]): string[] {
  // Nobody misspells a word of this length, and comparing it would take long.
  if (word.length > 64) return [];
  const farthest = Math.max(2, Math.ceil(word.length / 3));
  return (
    known
      .map((candidate) => ({
        candidate,
        distance: editDistance(word.toLowerCase(), candidate.toLowerCase()),
      }))
      // With as many edits as it has letters, any word becomes any other.
      .filter(({ distance }) => distance <= farthest && distance < word.length)
      .sort((left, right) => left.distance - right.distance)
      .map(({ candidate }) => candidate)
  );
}

/** Levenshtein distance that counts two swapped letters, a common typo, as one edit. */
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
