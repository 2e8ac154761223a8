/**
 * Owns: what a planner is told about where it stands: the date and zone, which programs are there, and the names of the
 * files in the folder of the task and at the top of the desk, two levels deep within their room. About 150 tokens.
 *
 * 1. Names of files are material: they are marked as data, shortened, and at most a few of them.
 * 2. A folder that cannot be read is left out; nothing here fails a plan.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenFolder } from '../../core/schema/folder.ts';
import { wrapAsData } from '../../kit/text/prompt-text.ts';
import { describeMoment } from '../../kit/describe-moment.ts';

type SituationPorts = {
  desk: string;
  now: number;
  hasProgram: (name: string) => boolean;
  /** Folders outside the desk that the task may use. */
  folders?: readonly OpenFolder[];
};

/** What plans most often depend on: interpreters, and programs that read documents, pictures and data. */
const PROGRAMS = [
  'python3',
  'node',
  'git',
  'jq',
  'sqlite3',
  'pdftotext',
  'pandoc',
  'libreoffice',
  'tesseract',
  'ffmpeg',
];
const MOST_NAMES = 20;
const LONGEST_NAME = 50;
const MOST_BYTES = 900;
const MOST_FOLDERS = 8;

export function describeSituation(
  dir: string | null,
  { desk, now, hasProgram, folders: outside = [] }: SituationPorts,
): string {
  const present = PROGRAMS.filter(hasProgram);
  const absent = PROGRAMS.filter((name) => !present.includes(name));
  const lists = [...listFiles(desk, dir), ...outside.flatMap(({ path }) => listFolder(path, '.', path))];
  return [
    `Now: ${describeMoment(now)}.`,
    `Programs here: ${present.join(', ') || 'none of the usual ones'}. Not here: ${absent.join(', ') || 'none'}. Packages of Python and Node (pypdf, openpyxl, …) are installed when a script imports them.`,
    ...outside.map(describeFolder),
    ...(lists.length === 0 ? [] : [describeFiles(lists.join('\n'))]),
  ].join('\n');
}

/** The names of files around a task; empty when there is none. */
export const namesAround = (desk: string, dir: string | null): string => listFiles(desk, dir).join('\n');

/** They are material. */
export const describeFiles = (names: string): string =>
  names === '' ? '' : `Files:\n${wrapAsData('names of files', names, MOST_BYTES)}`;

/** The folder of the task, the top of the desk, and one level below them while there is room. */
function listFiles(desk: string, dir: string | null): string[] {
  const tops = dir === null || dir === '.' ? ['.'] : [dir, '.'];
  const below = tops
    .slice(0, 1)
    .flatMap((top) => foldersIn(join(desk, top)).map((name) => (top === '.' ? name : `${top}/${name}`)));
  const lists = tops.flatMap((folder) => listFolder(desk, folder));
  let left = MOST_BYTES - Buffer.byteLength(lists.join('\n'));
  for (const folder of below.filter((each) => !tops.includes(each)).slice(0, MOST_FOLDERS)) {
    const [line] = listFolder(desk, folder);
    left -= Buffer.byteLength(line ?? '') + 1;
    if (line !== undefined && left > 0) lists.push(line);
  }
  return lists;
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .toSorted((a, b) => (a < b ? -1 : 1));
  } catch {
    return []; // gone meanwhile, or out of reach
  }
}

export const describeFolder = ({ path, access }: OpenFolder): string =>
  `Outside the desk this task may ${access === 'read' ? 'read' : 'read and change'} ${path}: use absolute paths there.`;

/** One line: `mail/: a.txt, b.txt, and 11 more`. Folders end with a slash. */
function listFolder(desk: string, folder: string, name?: string): string[] {
  try {
    const entries = readdirSync(join(desk, folder), { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (entries.length === 0) return [];
    const shown = entries.slice(0, MOST_NAMES).map((entry) => {
      const name = entry.name.length <= LONGEST_NAME ? entry.name : `${entry.name.slice(0, LONGEST_NAME)}…`;
      return entry.isDirectory() ? `${name}/` : `${name}${sizeOf(join(desk, folder, entry.name))}`;
    });
    const more = entries.length > shown.length ? `, and ${entries.length - shown.length} more` : '';
    return [`${name ?? (folder === '.' ? 'top of the desk' : `${folder}/`)}: ${shown.join(', ')}${more}`];
  } catch {
    return [];
  }
}

function sizeOf(file: string): string {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  return bytes === undefined ? '' : ` (${bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} KB`})`;
}
