/** The name that was probably meant, or null when none is close. */
export function nearestWord(word: string, names: readonly string[]): string | null {
  const close = names
    .map((name) => ({ name, distance: distanceBetween(word, name) }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  return close !== undefined && close.distance <= Math.max(1, Math.floor(close.name.length / 2)) ? close.name : null;
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function distanceBetween(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}
