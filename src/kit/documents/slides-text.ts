/** Owns: the text of presentations (PPTX), slide by slide, with their notes. */
import { BoundedText } from './bounded-text.ts';
import type { DocumentBody, DocumentRequest } from './document-contract.ts';
import type { OfficeArchive } from './office-archive.ts';
import { parsePageRange } from './page-range.ts';
import { elements, parsePart, relationsOf, type XmlElement } from './xml-parts.ts';

const PRESENTATION = 'ppt/presentation.xml';

export function readSlides(archive: OfficeArchive, request: DocumentRequest): DocumentBody {
  const slides = slideParts(archive);
  const { first, last } = parsePageRange(request.pages, slides.length, 'slide');
  const text = new BoundedText();
  for (const [index, part] of slides.entries()) {
    if (index + 1 < first || index + 1 > last) continue;
    const notes = notesOf(archive, part);
    const words = paragraphs(parsePart(archive, part)) || '(no text)';
    if (!text.add(`[slide ${index + 1}]\n${words}\n${notes === '' ? '' : `\nNotes: ${notes}\n`}\n`)) break;
  }
  return { pages: slides.length, ...text.result() };
}

/** The slides in the order of the presentation. */
function slideParts(archive: OfficeArchive): string[] {
  const relations = relationsOf(archive, PRESENTATION);
  return elements(parsePart(archive, PRESENTATION), 'p:sldId').flatMap(
    (each) => relations.get(each.getAttribute('r:id') ?? '')?.target ?? [],
  );
}

function notesOf(archive: OfficeArchive, slide: string): string {
  const part = [...relationsOf(archive, slide).values()].find(({ type }) => type.endsWith('/notesSlide'))?.target;
  if (part === undefined || archive[part] === undefined) return '';
  const bodies = elements(parsePart(archive, part), 'p:sp').filter((shape) =>
    elements(shape, 'p:ph').some((place) => place.getAttribute('type') === 'body'),
  );
  return bodies.map(paragraphs).join('\n').trim();
}

function paragraphs(root: XmlElement): string {
  return elements(root, 'a:p')
    .map((paragraph) =>
      elements(paragraph, 'a:t')
        .map((run) => run.textContent ?? '')
        .join(''),
    )
    .filter((line) => line.trim() !== '')
    .join('\n');
}
