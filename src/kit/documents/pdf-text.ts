/** Owns: the text of a PDF, page by page. The only door to unpdf. */
import { getDocumentProxy } from 'unpdf';
import { BoundedText } from './bounded-text.ts';
import { type DocumentBody, type DocumentRequest, Unreadable } from './document-contract.ts';
import { parsePageRange } from './page-range.ts';

export async function readPdf(bytes: Uint8Array, request: DocumentRequest): Promise<DocumentBody> {
  const pdf = await openPdf(bytes);
  const { first, last } = parsePageRange(request.pages, pdf.numPages, 'page');
  const text = new BoundedText();
  let empty = 0;
  for (let number = first; number <= last; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const words = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
    if (words.trim() === '') empty += 1;
    page.cleanup();
    if (!text.add(`[page ${number}]\n${words.trim() || '(no text)'}\n\n`)) break;
  }
  if (empty === last - first + 1)
    text.add('These pages contain no text, only pictures: it is probably a scan, which needs text recognition (OCR).');
  const title = await titleOf(pdf);
  return { ...(title === '' ? {} : { title }), pages: pdf.numPages, ...text.result() };
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(bytes, { verbosity: 0, stopAtErrors: false });
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException')
      throw new Unreadable('it is encrypted and needs a password', 'Save a copy without the password.');
    throw new Unreadable('it is cut off or damaged: no PDF reader can open it', 'Fetch or save it again.');
  }
}

async function titleOf(pdf: Pdf): Promise<string> {
  const { info } = await pdf.getMetadata();
  const title = (info as { Title?: unknown }).Title;
  return typeof title === 'string' ? title.trim().slice(0, 300) : '';
}
