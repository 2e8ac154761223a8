/** Owns: the text of a Word document (DOCX) as markdown. The only door to mammoth. */
import mammoth from 'mammoth';
import { BoundedText } from './bounded-text.ts';
import { type DocumentBody, Unreadable } from './document-contract.ts';
import { type OfficeArchive, packArchive } from './office-archive.ts';
import { toMarkdown } from './readable-html.ts';

export async function readWord(archive: OfficeArchive): Promise<DocumentBody> {
  const text = new BoundedText();
  text.add(toMarkdown(await convert(archive)));
  return text.result();
}

async function convert(archive: OfficeArchive): Promise<string> {
  try {
    const convertImage = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
    const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(packArchive(archive)) }, { convertImage });
    return value;
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Unreadable('it is damaged: its text cannot be found', 'Open it in a word processor and save it again.');
  }
}
