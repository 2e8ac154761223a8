/** Queries about what a run changed: the files, and one of them before and after; read from the snapshots of the desk. */
import { isAbsolute, join } from 'node:path';
import { structuredPatch } from 'diff';
import { z } from 'zod';
import { deskFolder } from '../../../kit/desk-folder.ts';
import { foldersIn, stepsOf } from '../../../kit/runs/recorded-steps.ts';
import { undoFolder } from '../../../kit/runs/undo-folder.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Home } from '../../../core/schema/home.ts';
import { Id } from '../../../core/schema/names.ts';
import type { FileChange } from '../../../kit/desk/desk-changes.ts';
import { openSnapshots, type Snapshots } from '../../../kit/desk/snapshots.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { readRunTree } from './run-tree.ts';

const MOST_FILES = 2000;
const MOST_BYTES = 512 * 1024;

const Changed = z
  .strictObject({
    path: z.string().describe('Relative to the desk; absolute outside of it.'),
    change: z.enum(['created', 'changed', 'removed']).describe('What was done to it.'),
  })
  .describe('A file that the run changed.');

export const runFiles = defineQuery({
  params: z.strictObject({ run: Id.describe('The run.') }).describe('Which run.'),
  answer: z
    .strictObject({
      files: z.array(Changed).describe('In the order of their paths.'),
      left: z.int().nonnegative().describe('How many more there are.'),
      is_known: z.boolean().describe('False when the snapshots that would show it were removed.'),
    })
    .describe('The files that a run changed.'),
  read: async ({ params, ...request }) => {
    const { all } = await readRunTree(request, params.run);
    const files = changedFiles(request.home, all);
    if (files === null) return { files: [], left: 0, is_known: false };
    const shown = files.slice(0, MOST_FILES).map(({ path, change }) => ({ path, change }));
    return { files: shown, left: files.length - shown.length, is_known: true };
  },
});

const Side = z
  .strictObject({
    text: z.string().nullable().describe('Its text; null when it is not a text.'),
    bytes: z.int().nonnegative().nullable().describe('How large it was; null when it was not stored.'),
    is_shortened: z.boolean().describe('Whether only the beginning is given.'),
  })
  .nullable()
  .describe('The file at that time; null when there was none.');

export const runDiff = defineQuery({
  params: z
    .strictObject({
      run: Id.describe('The run.'),
      path: z.string().min(1).max(4096).describe('A path of `run-files`.'),
    })
    .describe('Which file of which run.'),
  answer: z
    .strictObject({
      path: z.string().describe('The file.'),
      before: Side,
      after: Side,
      hunks: z
        .array(
          z.strictObject({
            old_start: z.int().describe('Its first line before.'),
            new_start: z.int().describe('Its first line after.'),
            lines: z.array(z.string()).describe('Lines that begin with a space, + or -.'),
          }),
        )
        .nullable()
        .describe('The differences; null when the two cannot be compared, or not in a short time.'),
    })
    .describe('A changed file, before and after the run.'),
  read: async ({ params, ...request }) => {
    const { all } = await readRunTree(request, params.run);
    const found = changedFiles(request.home, all)?.find(({ path }) => path === params.path);
    if (found === undefined)
      throw new OkaError('no-such-run', `the run changed no file "${params.path}", or its snapshots were removed`);
    const side = (entry: FileChange['before']): z.infer<typeof Side> =>
      entry === null ? null : readSide(found.snapshots.contentOf(entry));
    const [before, after] = [side(found.entries.before), side(found.entries.after)];
    return { path: params.path, before, after, hunks: compareTexts(before, after) };
  },
});

type Found = {
  path: string;
  change: 'created' | 'changed' | 'removed';
  entries: FileChange;
  snapshots: Pick<Snapshots, 'contentOf'>;
};

/** Null when the snapshots were removed, since they are stored for a limited time. */
function changedFiles(home: Home, events: readonly Event[]): Found[] | null {
  const shadow = openSnapshots({ store: undoFolder(home), desk: deskFolder(home) });
  try {
    return [null, ...foldersIn(events)].flatMap((folder) => {
      const snapshots = folder === null ? shadow : shadow.forFolder(folder);
      return snapshots.fileChanges(stepsOf(events, null, folder)).map((entries): Found => {
        const change = entries.before === null ? 'created' : entries.after === null ? 'removed' : 'changed';
        const path = folder === null || isAbsolute(entries.path) ? entries.path : join(folder, entries.path);
        return { path, change, entries, snapshots };
      });
    });
  } catch (error) {
    if (error instanceof OkaError) return null;
    throw error;
  }
}

function readSide(bytes: Buffer | null): z.infer<typeof Side> {
  if (bytes === null) return { text: null, bytes: null, is_shortened: false };
  const isText = !bytes.subarray(0, 8192).includes(0);
  const text = isText ? bytes.subarray(0, MOST_BYTES).toString('utf8') : null;
  return { text, bytes: bytes.length, is_shortened: bytes.length > MOST_BYTES };
}

const LONGEST_COMPARISON_MS = 400;

function compareTexts(
  before: z.infer<typeof Side>,
  after: z.infer<typeof Side>,
): { old_start: number; new_start: number; lines: string[] }[] | null {
  const texts = [before, after].map((side) => (side === null ? '' : side.text));
  const [was, is] = texts;
  if (was === null || was === undefined || is === null || is === undefined) return null;
  const patch = structuredPatch('', '', was, is, '', '', { context: 3, timeout: LONGEST_COMPARISON_MS });
  return (
    patch?.hunks.map(({ oldStart, newStart, lines }) => ({ old_start: oldStart, new_start: newStart, lines })) ?? null
  );
}
