/** Owns: what a model is shown of a page: its lines, the changed ones on later looks, within a limit of tokens. Pure. */
import { estimateTokens } from '../../kit/text/prompt-text.ts';

/** `number`, `kind` and `name` are of an element that can be used. */
export type Line = { text: string; number?: number; kind?: string; name?: string };
/** `hidden` counts the characters that nobody can see; `next` is the number of the next element. */
export type ReadLines = { lines: Line[]; hidden: number; next: number };

type Shown = { text: string; next?: number; isChangesOnly?: true };

const MOST_TOKENS = 2300;
const LONGEST_LINE = 600;

/** From this line on, as many as fit. `before` are the lines that were shown of the same page last time. */
export function showLines(lines: readonly Line[], from: number, before: readonly Line[] | null): Shown {
  const changed = from === 0 && before !== null ? changesIn(lines, before) : null;
  if (changed !== null) {
    const shown = takeLines(changed, 0);
    if (shown.next === undefined) return { text: shown.text, isChangesOnly: true };
  }
  return takeLines(
    lines.map(({ text }) => text),
    from,
  );
}

function takeLines(lines: readonly string[], from: number): Shown {
  const taken: string[] = [];
  let tokens = 0;
  for (const [index, line] of lines.slice(from).entries()) {
    const text = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
    tokens += estimateTokens(text) + 1;
    if (tokens > MOST_TOKENS && index > 0) return { text: taken.join('\n'), next: from + index };
    taken.push(text);
  }
  return { text: taken.join('\n') };
}

/** The lines that are new, and how many are gone; null where most of the page is another. */
function changesIn(lines: readonly Line[], before: readonly Line[]): string[] | null {
  const known = new Map<string, number>();
  for (const { text } of before) known.set(text, (known.get(text) ?? 0) + 1);
  const added: string[] = [];
  for (const { text } of lines) {
    const count = known.get(text) ?? 0;
    if (count === 0) added.push(text);
    else known.set(text, count - 1);
  }
  const gone = [...known.values()].reduce((sum, count) => sum + count, 0);
  if (added.length > lines.length / 2) return null;
  const note = `(${lines.length - added.length} lines are as they were, ${gone} are gone)`;
  return [...added, note];
}

/** The element that is meant: by its number, or by its name, with or without its kind; in words where that is not clear. */
export function findElement(lines: readonly Line[], wanted: number | string): Line | string {
  const usable = lines.filter(({ number }) => number !== undefined);
  const given = typeof wanted === 'number' ? wanted : /^\[?(\d+)\]?$/.exec(wanted.trim())?.[1];
  if (given !== undefined)
    return usable.find(({ number }) => number === Number(given)) ?? `there is no element ${given} any more`;
  const words = plain(String(wanted));
  const found = [
    usable.filter((line) => [plain(line.name), plain(`${line.kind} ${line.name}`)].includes(words)),
    usable.filter((line) => plain(line.name).includes(words)),
  ].find((each) => each.length > 0);
  if (found === undefined) return `nothing here is called "${String(wanted)}"`;
  if (found.length === 1 && found[0] !== undefined) return found[0];
  return `several elements are called "${String(wanted)}": ${found
    .map(({ text }) => text)
    .slice(0, 10)
    .join('; ')}`;
}

const plain = (text = ''): string => text.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim().toLowerCase();
