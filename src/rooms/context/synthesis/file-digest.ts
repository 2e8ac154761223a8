/** The text of a deterministic frame about a file: what `summarization` makes of its outline. */
import type { FileOutline } from '../outline/file-outline.ts';

const MOST_NAMES = 24;
const MOST_HEADINGS = 16;
const MOST_OUTLINED = 200;

/** `outline` lists every declaration or heading with its line; any other type is a short summary. */
export function digestFile(outline: FileOutline, type: string): string {
  return type === 'outline' ? listDeclarations(outline) : summarizeOutline(outline);
}

function summarizeOutline({ lines, lead, names, headings }: FileOutline): string {
  const parts = [
    lead,
    listOf(
      'Exports',
      names.map(({ name, line }) => `${name} (${line})`),
      MOST_NAMES,
    ),
    listOf(
      'Sections',
      headings.map(({ text, line }) => `${text} (${line})`),
      MOST_HEADINGS,
    ),
  ].filter((part) => part !== '');
  return parts.length > 0 ? `${parts.join('\n')}\n` : `${countOf(lines, 'line')} without headings or declarations.\n`;
}

function listDeclarations({ lines, lead, names, headings }: FileOutline): string {
  const entries = [
    ...names.map(({ line, declaration }) => `${line}: ${declaration}`),
    ...headings.map(({ line, level, text }) => `${line}: ${'#'.repeat(level)} ${text}`),
  ];
  const shown = entries.slice(0, MOST_OUTLINED);
  const more = entries.length - shown.length;
  return `${[lead, countOf(lines, 'line'), ...shown, ...(more > 0 ? [`… and ${more} more`] : [])]
    .filter((line) => line !== '')
    .join('\n')}\n`;
}

function listOf(title: string, entries: readonly string[], most: number): string {
  if (entries.length === 0) return '';
  const more = entries.length > most ? `, and ${entries.length - most} more` : '';
  return `${title}: ${entries.slice(0, most).join(', ')}${more}.`;
}

export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
