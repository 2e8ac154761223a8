/** Reading tables and PDF text, for playbooks and graders. */

/** The rows of a CSV text without quotes, by the names in its first line. */
export function parseRows(text: string): Record<string, string>[] {
  const [head = '', ...lines] = text.trim().split('\n');
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [names[index] ?? '', cell])));
}

export function sumOf(rows: readonly Record<string, string>[], column: string): number {
  return rows.reduce((sum, row) => sum + Number(row[column] ?? 0), 0);
}

/** A command that prints the text of a PDF whose content is not compressed. */
export const pdfText = (path: string): string => String.raw`sed -n 's/.*(\(.*\)) Tj.*/\1/p' ${path}`;
