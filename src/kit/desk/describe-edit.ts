/** Owns: how a changed text is shown: as a diff, with the header of a table above its changed rows. Pure. */
import { diffLines, type Hunk } from './merge-lines.ts';

/** A text up to this length is shown whole, with its changes marked. */
const WHOLE = 3000;
const CONTEXT = 2;
/** Of a longer line that was changed, the part around the change is shown. */
const LONG_LINE = 400;
const AROUND = 100;

/** Lines begin with a space, + or -. Null when the two have so little in common that a diff shows nothing. */
export function describeEdit(before: string, after: string, isTable = false): string | null {
  const [was, is] = [before.split('\n'), after.split('\n')];
  const hunks = diffLines(was, is);
  if (hunks === null) return null;
  const context = before.length + after.length <= 2 * WHOLE ? Number.MAX_SAFE_INTEGER : CONTEXT;
  const out: string[] = [];
  let shown = 0;
  for (const [index, hunk] of hunks.entries()) {
    const from = Math.max(shown, hunk.start - context);
    const header = isTable ? headerAbove(is, from) : null;
    if (from > shown) out.push(`@@ line ${from + 1} @@`);
    if (header !== null && header >= shown) out.push(` ${is[header]}`);
    out.push(...is.slice(from, hunk.start).map((line) => ` ${line}`), ...markLines(was, is, hunk));
    shown = Math.min(hunk.end + context, hunks[index + 1]?.start ?? is.length);
    out.push(...is.slice(hunk.end, shown).map((line) => ` ${line}`));
  }
  return out.join('\n');
}

/** The row with the names of the columns for what follows: the first one, or the first below the name of a sheet. */
function headerAbove(lines: readonly string[], at: number): number | null {
  const sheet = lines.slice(0, at).findLastIndex((line) => line.startsWith('## '));
  const header = lines.findIndex((line, index) => index > sheet && line.trim() !== '');
  return header === -1 || header >= at ? null : header;
}

function markLines(was: readonly string[], is: readonly string[], { from, to, start, end }: Hunk): string[] {
  const [old, now] = [was.slice(from, to), is.slice(start, end)];
  const [one = '', other = ''] = [old[0], now[0]];
  const isLong = old.length === 1 && now.length === 1 && Math.max(one.length, other.length) > LONG_LINE;
  const cut = isLong ? cutAround(one, other) : (line: string) => line;
  return [...old.map((line) => `-${cut(line)}`), ...now.map((line) => `+${cut(line)}`)];
}

/** Cuts two long lines to where they differ. */
function cutAround(a: string, b: string): (line: string) => string {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [Math.max(0, start - AROUND), Math.max(0, end - AROUND)];
  return (line) => `${left > 0 ? '…' : ''}${line.slice(left, line.length - right)}${right > 0 ? '…' : ''}`;
}
