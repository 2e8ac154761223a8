/**
 * Every kind of document that can be read: how it is recognised, and its reader. Pure, and small: a reader is imported
 * when a document is read, since most of the time is spent on loading it. A new kind is its reader and an entry here.
 */
import { extname } from 'node:path';
import { imageType } from '../../core/schema/picture.ts';
import type { DocumentBody, DocumentRequest } from './document-contract.ts';
import type { OfficeArchive } from './office-archive.ts';

/** A document that is read; `archive` has its parts if it is a zip archive. */
type OpenDocument = { bytes: Uint8Array; archive: OfficeArchive; asked: DocumentRequest };

/**
 * A kind of document.
 *
 *     export const notebook: DocumentKind = {
 *       format: 'ipynb',
 *       names: [],
 *       head: (_start, extension) => extension === 'ipynb',
 *       read: ({ bytes }) => Promise.resolve({ text: new TextDecoder().decode(bytes) }),
 *     };
 */
export type DocumentKind = {
  /** What it is called in answers. */
  readonly format: string;
  /** Extensions that promise bytes of a document; with other bytes such a file is broken. */
  readonly names: readonly string[];
  /** Recognises it by its first bytes as Latin-1, or by its extension where bytes do not tell. */
  readonly head?: (start: string, extension: string) => boolean;
  /** Recognises a zip archive by its parts. */
  readonly parts?: (archive: OfficeArchive, mimetype: string) => boolean;
  /** Streams of an old Office file of this kind. */
  readonly streams?: readonly string[];
  readonly read: (document: OpenDocument) => Promise<DocumentBody>;
};

/** In this order: the first that recognises a document reads it. */
export const documentKinds: readonly DocumentKind[] = [
  {
    format: 'pdf',
    names: ['pdf'],
    head: (start) => start.includes('%PDF-'),
    read: async ({ bytes, asked }) => (await import('./pdf-text.ts')).readPdf(bytes, asked),
  },
  {
    format: 'docx',
    names: ['docx', 'docm', 'dotx'],
    parts: (archive) => archive['word/document.xml'] !== undefined,
    read: async ({ archive }) => (await import('./word-text.ts')).readWord(archive),
  },
  {
    format: 'xlsx',
    names: ['xlsx', 'xlsm', 'xltx'],
    parts: (archive) => archive['xl/workbook.xml'] !== undefined,
    read: async ({ bytes, asked }) => (await import('./sheet-text.ts')).readWorkbook(bytes, asked),
  },
  {
    format: 'xls',
    names: ['xls'],
    streams: ['Workbook', 'Book'],
    read: async ({ bytes, asked }) => (await import('./sheet-text.ts')).readWorkbook(bytes, asked),
  },
  {
    format: 'pptx',
    names: ['pptx', 'pptm', 'ppsx'],
    parts: (archive) => archive['ppt/presentation.xml'] !== undefined,
    read: async ({ archive, asked }) => (await import('./slides-text.ts')).readSlides(archive, asked),
  },
  {
    format: 'ods',
    names: ['ods'],
    parts: (_archive, mimetype) => mimetype.endsWith('opendocument.spreadsheet'),
    read: async ({ bytes, asked }) => (await import('./sheet-text.ts')).readWorkbook(bytes, asked),
  },
  {
    format: 'odt',
    names: ['odt', 'ott'],
    parts: (_archive, mimetype) => mimetype.endsWith('opendocument.text'),
    read: async ({ archive }) => (await import('./open-document-text.ts')).readOpenText(archive),
  },
  {
    format: 'odp',
    names: ['odp'],
    parts: (_archive, mimetype) => mimetype.endsWith('opendocument.presentation'),
    read: async ({ archive, asked }) => (await import('./open-document-text.ts')).readOpenSlides(archive, asked),
  },
  {
    format: 'epub',
    names: ['epub'],
    parts: (archive) => archive['META-INF/container.xml'] !== undefined,
    read: async ({ archive, asked }) => (await import('./book-text.ts')).readBook(archive, asked),
  },
  {
    format: 'image',
    names: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'bmp', 'tif', 'tiff'],
    head: (start) => imageType(start) !== null,
    read: async ({ bytes }) => (await import('./image-text.ts')).readImage(bytes),
  },
  {
    format: 'eml',
    names: [],
    head: (_start, extension) => extension === 'eml',
    read: async ({ bytes }) => (await import('./mail-text.ts')).readMail(bytes),
  },
  {
    format: 'csv',
    names: [],
    head: (_start, extension) => extension === 'csv' || extension === 'tsv',
    read: async ({ bytes, asked }) => {
      const { decodeText } = await import('./html-text.ts');
      return (await import('./sheet-text.ts')).readCsv(decodeText(bytes), asked);
    },
  },
  {
    format: 'html',
    names: [],
    head: (start, extension) => /^(?:html?|xhtml)$/.test(extension) || /^\s*(?:<!doctype html|<html[\s>])/i.test(start),
    read: async ({ bytes }) => (await import('./html-text.ts')).readHtml(bytes),
  },
];

/** A kind, or a container that several kinds have; `broken`: the name promises a document, and the bytes are none. */
type Recognised = { is: 'kind'; kind: DocumentKind } | { is: 'zip' } | { is: 'ole' } | { is: 'broken' };

/** How many bytes are needed to recognise a document. */
export const HEAD_BYTES = 1024;

/** Old formats of Office that no reader knows. */
const OLD = ['doc', 'ppt', 'msg'];
/** Zip archives that are no documents; files with other names are examined. */
const ARCHIVES = ['zip', 'jar', 'war', 'whl', 'apk', 'aar', 'xpi', 'crx', 'nupkg', 'vsix', 'npz', 'kmz'];

/** Null: a plain file, read as it is. */
export function recogniseDocument(head: Uint8Array, name: string): Recognised | null {
  const extension = extname(name).slice(1).toLowerCase();
  const start = Buffer.from(head.subarray(0, HEAD_BYTES)).toString('latin1');
  const isPdf = start.includes('%PDF-'); // it may follow other bytes, also those of an archive
  if (!isPdf && (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')))
    return ARCHIVES.includes(extension) ? null : { is: 'zip' };
  if (!isPdf && start.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return { is: 'ole' };
  const kind = documentKinds.find((each) => each.head?.(start, extension) === true);
  if (kind !== undefined) return { is: 'kind', kind };
  return promisesDocument(extension) && !isPlainText(head) ? { is: 'broken' } : null;
}

const promisesDocument = (extension: string): boolean =>
  OLD.includes(extension) || documentKinds.some(({ names }) => names.includes(extension));

/** Text under the name of a document is read as text; an empty file is no text. */
const isPlainText = (head: Uint8Array): boolean =>
  head.length > 0 && !head.includes(0) && !head.some((byte) => byte > 127);
