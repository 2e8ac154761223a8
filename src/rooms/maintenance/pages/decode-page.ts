/** Decodes a page, whatever encoding an editor used. A file that is not text is copied to the quarantine. */
import { basename, join } from 'node:path';
import { lstatIfPresent, makeFolder, replaceFile } from '../../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../../core/schema/errors.ts';
import { type PagesFolder, checksumOf } from '../../../kit/learning/page-files.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const WINDOWS_1252 = new TextDecoder('windows-1252');

export function decodePage(folder: PagesFolder, page: string, bytes: Buffer): { text: string; isGarbled: boolean } {
  const encoding = UTF16_MARKS.find(({ mark }) => bytes.subarray(0, 2).equals(mark))?.encoding;
  if (encoding !== undefined) return { text: new TextDecoder(encoding).decode(bytes), isGarbled: false };
  try {
    return { text: UTF8.decode(bytes), isGarbled: false };
  } catch {
    quarantine(folder, page, bytes);
    return { text: splitLines(bytes).map(decodeLine).join('\n'), isGarbled: true };
  }
}

const UTF16_MARKS = [
  { mark: Buffer.from([0xff, 0xfe]), encoding: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), encoding: 'utf-16be' },
] as const;

/** A line that is not UTF-8 mostly comes from an older editor. */
function decodeLine(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return WINDOWS_1252.decode(bytes);
  }
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return [...lines, bytes.subarray(from)];
}

/** Uses the folder with the state of pages where .oka/quarantine is not writable. */
function quarantine(folder: PagesFolder, page: string, bytes: Buffer): void {
  const name = `${basename(page)}.${checksumOf(bytes).slice(0, 12)}`;
  const places = [join(folder.oka, 'quarantine'), join(folder.state, '.quarantine')];
  const kept = places.find((place) => tryQuarantine(place, name, bytes));
  if (kept === undefined)
    throw new OkaError('not-permitted', `.oka/${page} is not text and cannot be copied to the quarantine`);
  folder.log?.(
    `.oka/${page} is not UTF-8 text: a copy is in ${join(kept, name)}, and it was decoded as far as possible`,
  );
}

function tryQuarantine(place: string, name: string, bytes: Buffer): boolean {
  try {
    makeFolder(place);
    if (lstatIfPresent(join(place, name)) === undefined) replaceFile(join(place, name), bytes);
    return true;
  } catch (error) {
    if (error instanceof OkaError && error.code === 'not-permitted') return false;
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}
