/**
 * Owns: Debian's list of which package contains which file, as far as steps miss such files: programs, shared libraries,
 * pkg-config names, fonts. A person may give it (`oka requirements contents`); without it the tables of oka are all.
 *
 * D1 Only names of packages are taken from it, and a person reads them: nothing is installed by it.
 * D2 Of several packages the one that is called like the file comes first, then the shortest name.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Need } from '../../../core/schema/dependency.ts';
import type { Home } from '../../../core/schema/home.ts';
import { Sha256 } from '../../../core/schema/names.ts';

const Table = z.record(z.string(), z.string());

const DebianContents = z.strictObject({
  source: z.string().describe('The file that it was read from.'),
  sha256: Sha256.describe('The hash of that file.'),
  commands: Table.describe('Packages by program.'),
  libraries: Table.describe('Packages by shared library, with its version.'),
  pkgconfig: Table.describe('Packages by name in pkg-config.'),
  fonts: Table.describe('Packages by file of a font, without its ending.'),
});
type DebianContents = z.infer<typeof DebianContents>;

type Tables = Omit<DebianContents, 'source' | 'sha256'>;

/** Which table a file is for, and under which name. */
const PLACES: readonly (readonly [keyof Tables, RegExp])[] = [
  ['commands', /^(?:usr\/(?:local\/)?)?s?bin\/([^/\s]+)$|^usr\/games\/([^/\s]+)$/],
  ['libraries', /^(?:usr\/)?lib\/(?:[^/]+-linux-gnu[^/]*\/)?(lib[^/\s]+\.so(?:\.\d+)*)$/],
  ['pkgconfig', /^usr\/(?:lib\/(?:[^/]+\/)?|share\/)pkgconfig\/([^/\s]+)\.pc$/],
  ['fonts', /^usr\/share\/fonts\/(?:[^/]+\/)*([^/\s]+)\.(?:ttf|otf|ttc)$/],
];

/** Lines of a Contents file: a path, and the packages that have it, each behind its section. */
export function readContents(text: string): Tables {
  const tables: Tables = { commands: {}, libraries: {}, pkgconfig: {}, fonts: {} };
  for (const [, path = '', owners = ''] of text.matchAll(/^(\S+)[^\S\n]+(\S+)[^\S\n]*$/gm))
    for (const [table, place] of PLACES) {
      const found = place.exec(path);
      const name = found?.[1] ?? found?.[2];
      if (name === undefined) continue;
      const packages = owners.split(',').map((owner) => owner.slice(owner.lastIndexOf('/') + 1));
      const before = Object.hasOwn(tables[table], name) ? [tables[table][name] ?? ''] : [];
      tables[table][name] = [...before, ...packages].toSorted(nearestTo(name))[0] ?? '';
    }
  return tables;
}

const nearestTo =
  (name: string) =>
  (a: string, b: string): number =>
    Number(b === name) - Number(a === name) || a.length - b.length || (a < b ? -1 : 1);

export const contentsFile = (home: Pick<Home, 'oka'>): string => join(home.oka, 'state', 'debian-contents.json');

/** The packages that have what is missing, by the list of a home; null where there is none, or nothing in it. */
export function contentsOf(home: Pick<Home, 'oka'>): (need: Pick<Need, 'kind' | 'name'>) => string[] | null {
  let known: { stamp: string; contents: DebianContents | null } | null = null;
  const load = (): DebianContents | null => {
    const stats = statSync(contentsFile(home), { throwIfNoEntry: false });
    if (stats === undefined) return null;
    const stamp = `${stats.mtimeMs} ${stats.size}`;
    if (known?.stamp !== stamp) known = { stamp, contents: parse(readFileSync(contentsFile(home), 'utf8')) };
    return known.contents;
  };
  return ({ kind, name }) => {
    const table = TABLES[kind];
    const contents = table === undefined ? null : load();
    if (table === undefined || contents === null) return null;
    return Object.hasOwn(contents[table], name) ? [contents[table][name] ?? ''] : null;
  };
}

const TABLES: Partial<Record<Need['kind'], keyof Tables>> = {
  command: 'commands',
  library: 'libraries',
  pkgconfig: 'pkgconfig',
  font: 'fonts',
};

/** A list that cannot be read is none: it only helps. */
function parse(text: string): DebianContents | null {
  try {
    return DebianContents.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
