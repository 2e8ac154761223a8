/**
 * Owns: the parts of a zipped document, unpacked within limits. The only door to fflate.
 *
 * Z1 What an archive declares is checked before anything is unpacked, and no part becomes larger than it declared.
 */
import { unzipSync, zipSync } from 'fflate';
import { Unreadable } from './document-contract.ts';

export type OfficeArchive = Readonly<Record<string, Uint8Array>>;

/** Most bytes of text parts together; pictures and fonts are not unpacked. */
const UNPACKED_BYTES = 100_663_296;
const MOST_PARTS = 20_000;
const TEXT_PART = /(?:\.(?:xml|rels|xhtml|html?|opf|ncx)|^mimetype)$/i;

export function unpackArchive(bytes: Uint8Array): OfficeArchive {
  let declared = 0;
  let parts = 0;
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        parts += 1;
        if (parts > MOST_PARTS) throw new Unreadable('it has too many parts', 'Save it again, or as a PDF.');
        if (!TEXT_PART.test(name)) return false;
        declared += originalSize;
        if (declared > UNPACKED_BYTES)
          throw new Unreadable(
            `it unpacks to more than ${UNPACKED_BYTES / 1_048_576} MB, although it has only ${bytes.length} bytes`,
            'Split it, or save it as plain text or CSV.',
          );
        return true;
      },
    });
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable('it is cut off or damaged: its zip archive cannot be unpacked', 'Fetch or save it again.');
  }
}

/** The archive with nothing but what was unpacked, for libraries that unpack without limits. */
export const packArchive = (archive: OfficeArchive): Uint8Array => zipSync({ ...archive }, { level: 0 });

export function partText(archive: OfficeArchive, name: string): string | null {
  const part = archive[name];
  return part === undefined ? null : new TextDecoder().decode(part);
}
