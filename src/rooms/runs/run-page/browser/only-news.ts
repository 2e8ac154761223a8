/** Owns: RESULT.md without what the page around it says already. What a command printed stays as it is. Pure. */
import { t } from '../../../../kit/web/browser/words.ts';

const SAID_BY_PAGE = new Set(
  [
    ['Open questions', t('Open questions')],
    ['Evidence', t('Evidence')],
    ['Files', t('Files')],
    ['Cost and time', t('Cost and time')],
    ['Inspect or repeat it', t('Inspect or repeat it')],
  ].flatMap((names) => names.map((name) => `## ${name}`)),
);
const FENCE = /^\s*(`{3,}|~{3,})(.*)$/;

export function onlyNews(text: string): string {
  const lines: string[] = [];
  let fence: string | null = null;
  let isLeftOut = false;
  let isTitleFound = false;
  for (const line of text.split('\n')) {
    const isCode = fence !== null;
    fence = fenceAfter(fence, line);
    if (!isCode && fence === null) {
      if (line.startsWith('## ')) isLeftOut = SAID_BY_PAGE.has(line.trimEnd());
      if (!isTitleFound && line.startsWith('# ')) {
        isTitleFound = true;
        continue;
      }
    }
    if (!isLeftOut) lines.push(isCode || fence !== null ? line : plainMarks(line));
  }
  return lines.join('\n').replace(/^\n+/, '');
}

/** The fence that is open after a line. */
function fenceAfter(open: string | null, line: string): string | null {
  const [, mark = '', after = ''] = FENCE.exec(line) ?? [];
  if (open === null) return mark === '' || (mark.startsWith('`') && after.includes('`')) ? null : mark;
  return mark.startsWith(open) && after.trim() === '' ? null : open;
}

/** Emoji as marks of the page's own font, but not in `code`. */
const plainMarks = (line: string): string =>
  line
    .split(/(`+[^`]+`+)/)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(/(\p{Extended_Pictographic})\uFE0F?(?= )/gu, (_, mark: string) => MARKS[mark] ?? '•'),
    )
    .join('');

const MARKS: Readonly<Record<string, string>> = { '✅': '✓', '❌': '✕', '✔': '✓', '✖': '✕' };
