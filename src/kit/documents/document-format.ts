/** Owns: recognising documents by their first bytes, and by their names where the bytes do not tell. Pure. */
import { extname } from 'node:path';
import { imageType } from '../../core/schema/picture.ts';

type Recognised =
  | 'pdf'
  | 'zip'
  | 'ole'
  | 'image'
  | 'html'
  | 'eml'
  | 'csv'
  /** The name promises a document, and the bytes are none. */
  | 'broken';

/** How many bytes are needed to recognise a document. */
export const HEAD_BYTES = 1024;

const ZIPPED = [
  'docx',
  'docm',
  'dotx',
  'odt',
  'ott',
  'xlsx',
  'xlsm',
  'xltx',
  'ods',
  'pptx',
  'pptm',
  'ppsx',
  'odp',
  'epub',
];
const OLE = ['doc', 'xls', 'ppt', 'msg'];
const IMAGES = ['png', 'jpg', 'jpeg', 'gif', 'webp', 'bmp', 'tif', 'tiff'];
/** Zip archives that are no documents; files with other names are examined. */
const ARCHIVES = ['zip', 'jar', 'war', 'whl', 'apk', 'aar', 'xpi', 'crx', 'nupkg', 'vsix', 'npz', 'kmz'];

/** Null: a plain file, read as it is. */
export function recogniseDocument(head: Uint8Array, name: string): Recognised | null {
  const extension = extname(name).slice(1).toLowerCase();
  const start = Buffer.from(head.subarray(0, HEAD_BYTES)).toString('latin1');
  if (start.includes('%PDF-')) return 'pdf';
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06'))
    return ARCHIVES.includes(extension) ? null : 'zip';
  if (start.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return 'ole';
  if (imageType(start) !== null) return 'image';
  if (extension === 'eml') return 'eml';
  if (extension === 'csv' || extension === 'tsv') return 'csv';
  if (/^(?:html?|xhtml)$/.test(extension) || /^\s*(?:<!doctype html|<html[\s>])/i.test(start)) return 'html';
  return promisesDocument(extension) && !isPlainText(head) ? 'broken' : null;
}

const promisesDocument = (extension: string): boolean =>
  extension === 'pdf' || [ZIPPED, OLE, IMAGES].some((names) => names.includes(extension));

/** Text under the name of a document is read as text; an empty file is no text. */
const isPlainText = (head: Uint8Array): boolean =>
  head.length > 0 && !head.includes(0) && !head.some((byte) => byte > 127);
