/** Small documents, made here: what other programs make is tried in test/outside. */
import { strToU8, zipSync } from 'fflate';

/** A PDF with one line of text per page. */
export function makePdf(pages: readonly string[]): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, index) => {
      const content = text === '' ? '' : `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return Buffer.from(
    `${body}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
    'latin1',
  );
}

export const makeZip = (parts: Readonly<Record<string, string | Uint8Array>>): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [name, typeof part === 'string' ? strToU8(part) : part]),
      ),
    ),
  );

const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export function makeDocx(paragraphs: readonly string[], document = wordDocument(paragraphs)): Buffer {
  return makeZip({
    '[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': document,
  });
}

export const wordDocument = (paragraphs: readonly string[], before = ''): string =>
  `${XML}${before}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraphs
    .map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`)
    .join('')}</w:body></w:document>`;

export function makePptx(slides: readonly { text: string; notes?: string }[]): Buffer {
  const space = `xmlns:a="a" xmlns:p="p" xmlns:r="${OFFICE}"`;
  const paragraph = (text: string): string => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
  return makeZip({
    'ppt/presentation.xml': `${XML}<p:presentation ${space}><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${index}" r:id="r${index}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    // The files are numbered backwards: the order is that of the presentation.
    'ppt/_rels/presentation.xml.rels': `${XML}<Relationships xmlns="${RELATIONS}">${slides.map((_, index) => `<Relationship Id="r${index}" Type="${OFFICE}/slide" Target="slides/slide${slides.length - index}.xml"/>`).join('')}</Relationships>`,
    ...Object.fromEntries(
      slides.flatMap(({ text, notes }, index) => {
        const number = slides.length - index;
        return [
          [`ppt/slides/slide${number}.xml`, `${XML}<p:sld ${space}><p:sp>${paragraph(text)}</p:sp></p:sld>`],
          ...(notes === undefined
            ? []
            : [
                [
                  `ppt/slides/_rels/slide${number}.xml.rels`,
                  `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="n" Type="${OFFICE}/notesSlide" Target="../notesSlides/notes${number}.xml"/></Relationships>`,
                ],
                [
                  `ppt/notesSlides/notes${number}.xml`,
                  `${XML}<p:notes ${space}><p:sp><p:ph type="body"/>${paragraph(notes)}</p:sp></p:notes>`,
                ],
              ]),
        ];
      }),
    ),
  });
}

export function makeEpub(chapters: readonly string[]): Buffer {
  return makeZip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': `${XML}<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    'OEBPS/book.opf': `${XML}<package xmlns:dc="dc"><metadata><dc:title>A book</dc:title></metadata><manifest>${chapters.map((_, index) => `<item id="c${index}" href="text/c%20${index}.xhtml"/>`).join('')}</manifest><spine>${chapters.map((_, index) => `<itemref idref="c${index}"/>`).join('')}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((html, index) => [
        `OEBPS/text/c ${index}.xhtml`,
        `${XML}<html><head><title>x</title></head><body>${html}</body></html>`,
      ]),
    ),
  });
}

/** The header of a PNG of any size, with a text chunk; it has no pixels. */
export function makePng(width: number, height: number, text = ''): Buffer {
  const chunk = (kind: string, body: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    return Buffer.concat([length, Buffer.from(kind, 'latin1'), body, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(text === '' ? [] : [chunk('tEXt', Buffer.from(`Description\0${text}`, 'latin1'))]),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
