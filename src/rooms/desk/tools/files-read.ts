/** Owns: files.read, files.list and files.search. They change nothing. */
import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import { errnoOf } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { Tool } from '../../../core/schema/tool.ts';
import { skippedEntry } from '../../../kit/desk/take-snapshot.ts';
import { contentName } from '../../../kit/runs/written-instructions.ts';
import { isText, toBodyText, bodyFields, asCaptured } from '../../../kit/text/body-text.ts';
import { ok, defineTool } from '../../../kit/define-tool.ts';
import { MAX_PART, readAtMost, readContent, readPart } from './file-content.ts';
import { type FilesOptions, labelFields, labelOf, topFolder } from './files-options.ts';
import { createLineMatcher } from './line-matcher.ts';
import { withPlace, withFolder, openRegular, Path } from './desk-place.ts';
import { DocumentFacts, documentInput, readAsDocument } from './files-document.ts';
import { type Entry, stampFile, stampFolder, walkFolder } from './folder-walk.ts';

/** What is larger is not in the snapshots, and its name there is another one. */
const MAX_STORED = 32 * 1_048_576;
const MAX_SEARCHED = 2_097_152;
const MAX_LINE = 400;

const reading = {
  annotations: { read_only: true, idempotent: true, cacheable: true, risk: 'low' },
  targets: ['path'],
  parallel: true,
  class: 'read',
} as const;

export function readTool(options: FilesOptions): Tool {
  const { desk, artifacts } = options;
  return defineTool({
    name: 'files.read',
    about:
      'Reads a file of the desk, or a part of it: text as it is; PDF, Word, spreadsheets, slides, books, e-mail and HTML as text. A long file comes as head and tail, with an artifact.',
    input: z.strictObject({
      path: Path,
      offset: z.int().nonnegative().optional().describe('First byte of the part; a character belongs to its first.'),
      length: z.int().positive().max(MAX_PART).optional().describe('Bytes of the part.'),
      ...documentInput,
    }),
    output: z.strictObject({
      path: Path,
      size: z.int().nonnegative().describe('Bytes of the whole file.'),
      content: z.string().describe('The text.'),
      ...labelFields,
      ...bodyFields,
      document: DocumentFacts.optional(),
    }),
    ...reading,
    fingerprint: ({ path }) => stampFile(desk, path),
    act: async ({ path, offset, length, ...request }, call) =>
      withPlace(await topFolder(options, path, 'read', call), path, { links: 'followed' }, async (place) => {
        const { file, stats } = await openRegular(place);
        await using _ = file;
        const all = offset === undefined && length === undefined;
        const found = all ? await readAsDocument(options, file, { ...request, path, size: stats.size }, call) : null;
        const real = await labelOf(options, place, stats, async () => {
          const bytes = await readAtMost(file, MAX_STORED);
          return bytes === null ? skippedEntry(stats).oid : contentName(bytes);
        });
        if (found !== null) return 'output' in found ? { ...found, output: withReal(found.output, real) } : found;
        const bytes = all ? await readContent(file, stats.size, path) : await readPart(file, offset ?? 0, length);
        const body = await toBodyText(asCaptured(bytes), { artifacts, inline: MAX_PART + 3, name: place.name });
        const { text: content, ...rest } = body;
        return ok({ path, size: stats.size, content, ...real, ...rest }, body);
      }),
  });
}

const withReal = (output: Json, real: object): Json =>
  output !== null && typeof output === 'object' && !Array.isArray(output) ? { ...output, ...real } : output;

export function listTool(options: FilesOptions): Tool {
  const { desk } = options;
  return defineTool({
    name: 'files.list',
    about: 'Lists what is in a folder of the desk, sorted by name. Links are shown and not followed.',
    input: z.strictObject({
      path: Path.default('.'),
      recursive: z.boolean().default(false).describe('Also what is in the folders below.'),
      limit: z.int().positive().max(10_000).default(1000).describe('Most entries.'),
    }),
    output: z.strictObject({
      entries: z.array(
        z.strictObject({
          path: Path,
          kind: z.enum(['file', 'folder', 'link', 'other']).describe('What it is.'),
          bytes: z.int().nonnegative().optional().describe('Size of a file.'),
        }),
      ),
      more: z.boolean().describe('There are more.'),
    }),
    ...reading,
    fingerprint: ({ path, recursive }) => stampFolder(desk, path, recursive),
    act: async ({ path, recursive, limit }, call) =>
      withFolder(await topFolder(options, path, 'read', call), path, async (top) => {
        const entries: object[] = [];
        for await (const { folder, name, kind, path: shown } of walkFolder(top, path, recursive, call.signal)) {
          if (entries.length === limit) return ok({ entries, more: true });
          const size = kind === 'file' ? { bytes: (await lstat(folder.at(name))).size } : {};
          entries.push({ path: shown, kind, ...size });
        }
        return ok({ entries, more: false });
      }),
  });
}

export function searchTool(options: FilesOptions): Tool {
  const { desk } = options;
  return defineTool({
    name: 'files.search',
    about:
      'Finds the lines that contain a text, in all text files of a folder of the desk and of the folders below it.',
    input: z.strictObject({
      pattern: z.string().min(1).max(1000).describe('The text to search for.'),
      regex: z.boolean().default(false).describe('The pattern is a regular expression (JavaScript, flag u).'),
      path: Path.default('.').describe('A folder.'),
      limit: z.int().positive().max(10_000).default(100).describe('Most lines.'),
    }),
    output: z.strictObject({
      matches: z.array(
        z.strictObject({
          path: Path,
          line: z.int().positive().describe('Number of the line.'),
          text: z.string().describe('The line, cut when it is long.'),
        }),
      ),
      more: z.boolean().describe('There are more.'),
      skipped: z.int().nonnegative().describe('Files that were not searched: not text, too large or closed.'),
    }),
    ...reading,
    fingerprint: ({ path }) => stampFolder(desk, path, true),
    act: async ({ pattern, regex, path, limit }, call) =>
      withFolder(await topFolder(options, path, 'read', call), path, async (top) => {
        const find = createLineMatcher(pattern, regex);
        const matches: object[] = [];
        let skipped = 0;
        for await (const entry of walkFolder(top, path, true, call.signal)) {
          const lines = entry.kind === 'file' ? await readLines(entry) : [];
          if (lines === null) skipped += 1;
          for (const index of find(lines ?? [])) {
            if (matches.length === limit) return ok({ matches, more: true, skipped });
            matches.push({ path: entry.path, line: index + 1, text: lines?.[index]?.slice(0, MAX_LINE) ?? '' });
          }
        }
        return ok({ matches, more: false, skipped });
      }),
  });
}

/** Null when the file is not text, too large or not open to us. */
async function readLines(entry: Entry): Promise<string[] | null> {
  try {
    const { file, stats } = await openRegular(entry);
    await using _ = file;
    const bytes = stats.size > MAX_SEARCHED ? null : await readAtMost(file, MAX_SEARCHED);
    return bytes !== null && isText(bytes) ? bytes.toString().split('\n') : null;
  } catch (error) {
    if (errnoOf(error) !== undefined) return null;
    throw error;
  }
}
