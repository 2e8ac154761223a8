/** How a file may be shown in a browser, by the ending of its name. */
import { extname } from 'node:path';

/** What says most to a person comes first. */
export const SHAPES = ['markdown', 'image', 'page', 'table', 'text', 'json', 'pdf', 'none'] as const;
export type Shape = (typeof SHAPES)[number];

const SHOWN: Readonly<Record<string, Shape>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.csv': 'table',
  '.tsv': 'table',
  '.json': 'json',
  '.png': 'image',
  '.jpg': 'image',
  '.jpeg': 'image',
  '.gif': 'image',
  '.webp': 'image',
  '.svg': 'page',
  '.html': 'page',
  '.htm': 'page',
  '.pdf': 'pdf',
};
const TEXTS = new Set(
  '.txt .log .ts .js .mjs .py .sh .yaml .yml .toml .xml .css .sql .ini .diff .patch .jsonl'.split(' '),
);

export function howShown(path: string): Shape {
  const ending = extname(path).toLowerCase();
  return SHOWN[ending] ?? (TEXTS.has(ending) || ending === '' ? 'text' : 'none');
}
