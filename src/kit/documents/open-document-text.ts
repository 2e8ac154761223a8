/** Owns: the text of OpenDocument texts and presentations (ODT, ODP). Spreadsheets are read by sheet-text.ts. */
import { BoundedText } from './bounded-text.ts';
import { type DocumentBody, type DocumentRequest, Unreadable } from './document-contract.ts';
import { type OfficeArchive, partText } from './office-archive.ts';
import { parsePageRange } from './page-range.ts';
import { elements, parsePart, type XmlElement } from './xml-parts.ts';

export function readOpenText(archive: OfficeArchive): DocumentBody {
  const text = new BoundedText();
  for (const body of elements(contentOf(archive), 'office:text')) text.add(blocks(body));
  return text.result();
}

export function readOpenSlides(archive: OfficeArchive, request: DocumentRequest): DocumentBody {
  const text = new BoundedText();
  const slides = elements(contentOf(archive), 'draw:page');
  const { first, last } = parsePageRange(request.pages, slides.length, 'slide');
  for (const [index, slide] of slides.entries())
    if (index + 1 >= first && index + 1 <= last) text.add(`[slide ${index + 1}]\n${blocks(slide)}\n\n`);
  return { pages: slides.length, ...text.result() };
}

function contentOf(archive: OfficeArchive): ReturnType<typeof parsePart> {
  if (partText(archive, 'META-INF/manifest.xml')?.includes('encryption-data') === true)
    throw new Unreadable('it is encrypted and needs a password', 'Save a copy without the password.');
  return parsePart(archive, 'content.xml');
}

/** Headings, paragraphs, lists and tables, in their order. */
function blocks(element: XmlElement): string {
  return [...element.children].map(block).join('');
}

function block(element: XmlElement): string {
  switch (element.tagName) {
    case 'text:h':
      return `${'#'.repeat(Math.min(6, Number(element.getAttribute('text:outline-level') ?? 1)))} ${inline(element)}\n\n`;
    case 'text:p':
      return `${inline(element)}\n\n`;
    case 'text:list-item':
      return `- ${blocks(element).trim().replaceAll('\n\n', '\n')}\n`;
    case 'text:list':
      return `${blocks(element)}\n`;
    case 'table:table-row':
      return `| ${[...element.children]
        .map((cell) =>
          blocks(cell)
            .trim()
            .replaceAll(/\s*\n\s*/g, ' '),
        )
        .join(' | ')} |\n`;
    case 'table:table':
      return `${blocks(element)}\n`;
    case 'text:tracked-changes':
      return '';
    default:
      return blocks(element);
  }
}

function inline(element: XmlElement): string {
  return (element.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
}
