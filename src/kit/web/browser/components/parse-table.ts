/** Comma- or tab-separated values as rows: quotes, doubled quotes and line breaks in quotes. */

export function parseTable(text: string, given: string | null = null): string[][] {
  const separator = given ?? likelySeparator(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endCell = (): void => {
    row.push(cell);
    cell = '';
  };
  const endRow = (): void => {
    endCell();
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const each = text[at] ?? '';
    if (isQuoted && each === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (each === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted;
    else if (isQuoted) cell += each;
    else if (each === separator) endCell();
    else if (each === '\n') endRow();
    else if (each !== '\r') cell += each;
  }
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}

/** The one that is most frequent in the first line. */
function likelySeparator(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return [',', ';', '\t'].toSorted((a, b) => line.split(b).length - line.split(a).length)[0] ?? ',';
}
