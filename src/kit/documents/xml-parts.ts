/** Owns: reading the XML parts of zipped documents. Entities that a document defines are not expanded. */
import { DOMParser } from 'linkedom';
import { Unreadable } from './document-contract.ts';
import { type OfficeArchive, partText } from './office-archive.ts';

/** The part of an XML element that is used here. */
export type XmlElement = {
  readonly tagName: string;
  readonly textContent: string | null;
  readonly children: Iterable<XmlElement>;
  getAttribute(name: string): string | null;
  getElementsByTagName(name: string): Iterable<XmlElement>;
};

export function parsePart(archive: OfficeArchive, name: string): XmlElement {
  const text = partText(archive, name);
  if (text === null) throw new Unreadable(`it is damaged: ${name} is missing in it`, 'Save it again.');
  const root = new DOMParser().parseFromString(text, 'text/xml').documentElement as XmlElement | null;
  if (root === null) throw new Unreadable(`it is damaged: ${name} in it is no XML`, 'Save it again.');
  return root;
}

export const elements = (root: XmlElement, name: string): XmlElement[] => [...root.getElementsByTagName(name)];

/** The targets of a part's relations by their ids, as paths in the archive. */
export function relationsOf(archive: OfficeArchive, part: string): Map<string, { type: string; target: string }> {
  const slash = part.lastIndexOf('/');
  const folder = part.slice(0, slash + 1);
  const file = `${folder}_rels/${part.slice(slash + 1)}.rels`;
  if (archive[file] === undefined) return new Map();
  return new Map(
    elements(parsePart(archive, file), 'Relationship').map((each) => [
      each.getAttribute('Id') ?? '',
      { type: each.getAttribute('Type') ?? '', target: resolvePart(folder, each.getAttribute('Target') ?? '') },
    ]),
  );
}

/** A path in the archive, relative to a folder of it; it never leads out of the archive. */
export function resolvePart(folder: string, target: string): string {
  return decodeURI(new URL(target.replaceAll('\\', '/'), `zip:///${folder}`).pathname).slice(1);
}
