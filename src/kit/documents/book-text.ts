/** Owns: the text of books (EPUB), chapter by chapter, as markdown. */
import { BoundedText } from './bounded-text.ts';
import { type DocumentBody, type DocumentRequest, Unreadable } from './document-contract.ts';
import { type OfficeArchive, partText } from './office-archive.ts';
import { parsePageRange } from './page-range.ts';
import { toMarkdown } from './readable-html.ts';
import { elements, parsePart, resolvePart } from './xml-parts.ts';

export function readBook(archive: OfficeArchive, request: DocumentRequest): DocumentBody {
  if (archive['META-INF/encryption.xml'] !== undefined && archive['META-INF/rights.xml'] !== undefined)
    throw new Unreadable('it is protected (DRM)', 'Use a copy without protection.');
  const { title, chapters } = openPackage(archive);
  const { first, last } = parsePageRange(request.pages, chapters.length, 'chapter');
  const text = new BoundedText();
  for (const [index, part] of chapters.entries()) {
    if (index + 1 < first || index + 1 > last) continue;
    if (!text.add(`[chapter ${index + 1}]\n${chapterText(partText(archive, part) ?? '')}\n\n`)) break;
  }
  return { ...(title === '' ? {} : { title }), pages: chapters.length, ...text.result() };
}

/** The chapters in reading order, as the package document lists them. */
function openPackage(archive: OfficeArchive): { title: string; chapters: string[] } {
  const [root] = elements(parsePart(archive, 'META-INF/container.xml'), 'rootfile');
  const part = root?.getAttribute('full-path') ?? '';
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const book = parsePart(archive, part);
  const items = new Map(
    elements(book, 'item').map((item) => [item.getAttribute('id'), item.getAttribute('href') ?? '']),
  );
  const chapters = elements(book, 'itemref')
    .flatMap((each) => items.get(each.getAttribute('idref')) ?? [])
    .map((href) => resolvePart(folder, href))
    .filter((name) => archive[name] !== undefined);
  return { title: elements(book, 'dc:title')[0]?.textContent?.trim() ?? '', chapters };
}

function chapterText(xhtml: string): string {
  const body = /<body[^>]*>([^]*)<\/body>/i.exec(xhtml)?.[1] ?? xhtml;
  return toMarkdown(body.replaceAll(/<(script|style)\b[^]*?<\/\1>/gi, '')) || '(no text)';
}
