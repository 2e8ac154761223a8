/** The queries of the page Files. They read the desk, the ledger and the snapshots, and change nothing. */
import { closeSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { DOCUMENT_BYTES } from '../../../kit/documents/document-contract.ts';
import { recogniseDocument } from '../../../kit/documents/document-kinds.ts';
import { readConfined } from '../../../kit/sandbox/read-confined.ts';
import { howShown } from '../../../kit/web/how-shown.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { findOnDesk, type Listed, listDeskFolder, openDeskFile } from './desk-files.ts';
import { listTouches } from './file-authors.ts';
import { FilesAnswer, type Touch } from './files-answer.ts';

const MOST_ENTRIES = 1000;
const MOST_TOUCHES = 50;
const MOST_FOUND = 60;
const MOST_TEXT = 200_000;

const path = z.string().max(4096).describe('A path, relative to the desk.');

export const filesQuery = defineQuery({
  params: z.strictObject({ path: path.default('') }).describe('Which folder or file.'),
  answer: FilesAnswer,
  read: async ({ params, ...request }) => {
    const { home } = request;
    const touches = await listTouches(request);
    const own = listDeskFolder(home, params.path);
    const folder = own === null ? params.path.split('/').slice(0, -1).join('/') : params.path;
    const all = own ?? listDeskFolder(home, folder) ?? [];
    const file = own === null ? all.find((entry) => entry.path === params.path) : undefined;
    const below = params.path === '' ? '' : `${params.path}/`;
    const isAsked = (touch: Touch): boolean => touch.path === params.path || touch.path.startsWith(below);
    const latest = latestBelow(touches, folder);
    const shown = (entry: Listed): FilesAnswer['entries'][number] => ({
      ...entry,
      shown: howShown(entry.name),
      latest: latest.get(entry.name) ?? null,
    });
    return {
      path: params.path,
      folder,
      is_there: params.path === '' || own !== null || file !== undefined,
      entries: all.slice(0, MOST_ENTRIES).map(shown),
      more: Math.max(0, all.length - MOST_ENTRIES),
      file: file === undefined ? null : { ...shown(file), href: hrefOf(file.path) },
      history: touches.filter(isAsked).slice(0, MOST_TOUCHES),
    };
  },
});

const hrefOf = (file: string): string => `files/-/${file.split('/').map(encodeURIComponent).join('/')}`;

/** By the name in this folder. */
function latestBelow(touches: readonly Touch[], folder: string): Map<string, Touch> {
  const latest = new Map<string, Touch>();
  const above = folder === '' ? '' : `${folder}/`;
  for (const touch of touches) {
    if (touch.is_undone || !touch.path.startsWith(above)) continue;
    const [name = ''] = touch.path.slice(above.length).split('/', 1);
    if (!latest.has(name)) latest.set(name, touch);
  }
  return latest;
}

export const filesFound = defineQuery({
  params: z.strictObject({ text: z.string().max(200).describe('Words of the path.') }).describe('What to look for.'),
  answer: z
    .strictObject({
      files: z
        .array(z.strictObject({ path: z.string().describe('Its path.'), kind: z.enum(['folder', 'file', 'other']) }))
        .describe('The best first.'),
    })
    .describe('Files and folders of the desk.'),
  read: ({ home, params }) =>
    Promise.resolve({
      files: findOnDesk(home, params.text, MOST_FOUND).map((entry) => ({ path: entry.path, kind: entry.kind })),
    }),
});

/** The text of a document that a browser cannot show; it is read in a process that may reach nothing. */
export const fileText = defineQuery({
  params: z.strictObject({ path }).describe('Which file.'),
  answer: z
    .strictObject({
      text: z.string().describe('Its text.'),
      is_cut: z.boolean().describe('Whether only the beginning is given.'),
      problem: z.string().nullable().describe('Why there is none.'),
    })
    .describe('The text of a document.'),
  read: async ({ home, params, signal }) => {
    const bytes = readWhole(home, params.path);
    const name = params.path.slice(params.path.lastIndexOf('/') + 1);
    if (recogniseDocument(bytes, name) === null)
      return { text: '', is_cut: false, problem: 'It is not a document of a known kind.' };
    const reply = await readConfined(bytes, { name }, signal);
    if ('problem' in reply) return { text: '', is_cut: false, problem: `${reply.problem}. ${reply.fix}` };
    const { text, cut = false } = reply.document;
    return { text: text.slice(0, MOST_TEXT), is_cut: cut || text.length > MOST_TEXT, problem: null };
  },
});

function readWhole(home: Parameters<typeof openDeskFile>[0], file: string): Buffer {
  const { fd, stat } = openDeskFile(home, file);
  try {
    if (stat.size > DOCUMENT_BYTES) throw new OkaError('invalid-file', 'This file is too large to be read.');
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
