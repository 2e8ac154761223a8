/** The text of a page, whatever an editor made of its encoding. What is not text is kept aside as it is. */
import { basename, join } from 'node:path';
import { lookAt, makeFolder, replaceFile } from '../../ledger/disk.ts';
import { errnoOf, OkaError } from '../../schema/errors.ts';
import { type PagesFolder, sumOf } from './page-files.ts';

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const WESTERN = new TextDecoder('windows-1252');

export function readText(folder: PagesFolder, page: string, bytes: Buffer): { text: string; isGarbled: boolean } {
  const encoding = WIDE.find(({ mark }) => bytes.subarray(0, 2).equals(mark))?.encoding;
  if (encoding !== undefined) return { text: new TextDecoder(encoding).decode(bytes), isGarbled: false };
  try {
    return { text: STRICT.decode(bytes), isGarbled: false };
  } catch {
    keepAside(folder, page, bytes);
    return { text: linesOf(bytes).map(lineOf).join('\n'), isGarbled: true };
  }
}

const WIDE = [
  { mark: Buffer.from([0xff, 0xfe]), encoding: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), encoding: 'utf-16be' },
] as const;

/** Lines that are no UTF-8 are mostly those of an older editor. */
function lineOf(bytes: Buffer): string {
  try {
    return STRICT.decode(bytes);
  } catch {
    return WESTERN.decode(bytes);
  }
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return [...lines, bytes.subarray(from)];
}

/** Where .oka/quarantine may not be written, beside what is remembered of pages. */
function keepAside(folder: PagesFolder, page: string, bytes: Buffer): void {
  const name = `${basename(page)}.${sumOf(bytes).slice(0, 12)}`;
  const places = [join(folder.oka, 'quarantine'), join(folder.kept, '.quarantine')];
  const kept = places.find((place) => attempt(place, name, bytes));
  if (kept === undefined) throw new OkaError('not-permitted', `.oka/${page} is not text, and cannot be kept aside`);
  folder.tell?.(
    `.oka/${page} is not UTF-8 text: it is kept as it was in ${join(kept, name)}, and read as well as it goes`,
  );
}

function attempt(place: string, name: string, bytes: Buffer): boolean {
  try {
    makeFolder(place);
    if (lookAt(join(place, name)) === undefined) replaceFile(join(place, name), bytes);
    return true;
  } catch (error) {
    if (error instanceof OkaError && error.code === 'not-permitted') return false;
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}
