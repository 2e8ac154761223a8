/** Words of a text, as a search compares them: small letters without accents. The full-text index of SQLite does so, too. */
export function wordsIn(text: string): string[] {
  return (
    text
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Whether a text has all of the words, or words that begin so. */
export function hasWords(text: string, wanted: readonly string[]): boolean {
  const words = wordsIn(text);
  return wanted.every((want) => words.some((word) => word.startsWith(want)));
}
