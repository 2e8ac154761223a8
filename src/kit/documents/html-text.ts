/** Owns: HTML files as markdown, and text files in whatever encoding they are. */
import { decodePage } from './web-page-encoding.ts';
import { BoundedText } from './bounded-text.ts';
import type { DocumentBody } from './document-contract.ts';
import { readablePage } from './readable-html.ts';

export function readHtml(bytes: Uint8Array): DocumentBody {
  const { title, text: body } = readablePage({ html: decodeText(bytes), url: 'about:blank' });
  const text = new BoundedText();
  text.add(body);
  return { ...(title === '' ? {} : { title }), ...text.result() };
}

export const decodeText = (bytes: Uint8Array): string => decodePage(Buffer.from(bytes));
