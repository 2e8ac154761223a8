/**
 * Owns: files.write, files.edit, files.move and files.remove.
 *
 * F1 A file is replaced completely or not at all: temp, flush, rename in the same folder, flush of the folder.
 * F2 A file that has a second name is not written: the other name may be anywhere.
 *    If one appears right after the check, it keeps its own content, because only the name is replaced (F1).
 * F3 A file that makes other programs run is changed only under its own name, about which the guard asks: a link that
 *    leads to one is not followed.
 * F5 Of the desk nothing is changed outside the place of the task, not through a link either.
 * F4 Nothing outside the desk is removed, not even through a link that appears while a folder is being removed.
 */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, readdir, realpath, rename, rmdir, unlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { replaceFileAsync } from '../../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../../core/schema/errors.ts';
import { programTrigger } from '../../../core/schema/program-triggers.ts';
import type { Tool, ToolCall } from '../../../core/schema/tool.ts';
import { isText } from '../../../kit/text/body-text.ts';
import { failure, ok, Refused, defineTool } from '../../../kit/define-tool.ts';
import { contentName } from '../../../kit/runs/written-instructions.ts';
import { readContent } from './file-content.ts';
import { assertInPlace, type FilesOptions, labelFields, labelOf, topFolder } from './files-options.ts';
import type { Folder } from './folder-handle.ts';
import type { WalkOptions } from './path-walk.ts';
import { assertRegular, withPlace, openRegular, Path, type Place } from './desk-place.ts';

const DEEPEST = 100;
const Text = z.string().max(5_000_000);
const Size = z.int().nonnegative().describe('Bytes of the file now.');

export function writeTool(options: FilesOptions): Tool {
  return defineTool({
    name: 'files.write',
    about:
      'Writes a text file of the desk, replacing what was there, or adds to its end. Makes the folders on the way.',
    input: z.strictObject({
      path: Path,
      content: Text.describe('The text.'),
      append: z.boolean().default(false).describe('Add to the end instead of replacing.'),
    }),
    output: z.strictObject({ path: Path, size: Size }),
    annotations: { destructive: true, risk: 'medium' },
    idempotent: ({ append }) => !append,
    targets: ['path'],
    class: 'write_local',
    act: async ({ path, content, append }, call) =>
      withChangedPlace(options, path, call, { links: 'followed', make: true }, async (place) => {
        const there = await checkReplaceable(place);
        const before = append && there !== null ? await readBytes(place) : Buffer.alloc(0);
        const bytes = Buffer.concat([before, Buffer.from(content)]);
        await replaceContent(place, bytes, there?.mode);
        return ok({ path, size: bytes.length });
      }),
  });
}

export function editTool(options: FilesOptions): Tool {
  return defineTool({
    name: 'files.edit',
    about:
      'Replaces a piece of text in a file of the desk. The old text must be there exactly once, unless all is set.',
    input: z.strictObject({
      path: Path,
      old: Text.min(1).describe('The text to replace, exactly as it is in the file.'),
      new: Text.describe('The text to put there.'),
      all: z.boolean().default(false).describe('Replace it everywhere in the file.'),
    }),
    output: z.strictObject({
      path: Path,
      size: Size,
      replaced: z.int().positive().describe('How often it was replaced.'),
      ...labelFields,
    }),
    // Not idempotent, and neither is a move: done a second time they fail, which reads as if nothing had been done.
    annotations: { destructive: true, risk: 'medium' },
    targets: ['path'],
    class: 'write_local',
    act: async (input, call) =>
      withChangedPlace(options, input.path, call, { links: 'followed' }, async (place) => {
        const there = await checkReplaceable(place);
        const before = await readBytes(place);
        const pieces = splitAtOld(before, input);
        const bytes = Buffer.from(pieces.join(input.new));
        const label = await labelOf(options, place, there, async () => contentName(before));
        await replaceContent(place, bytes, there?.mode);
        return ok({ path: input.path, size: bytes.length, replaced: pieces.length - 1, ...label });
      }),
  });
}

export function moveTool(options: FilesOptions): Tool {
  return defineTool({
    name: 'files.move',
    about: 'Moves or renames a file or folder of the desk. Makes the folders on the way; replaces nothing.',
    input: z.strictObject({ from: Path.describe('What to move.'), to: Path.describe('Its new path, name included.') }),
    output: z.strictObject({ from: Path, to: Path }),
    annotations: { destructive: true, risk: 'medium' },
    targets: ['from', 'to'],
    class: 'write_local',
    act: async ({ from, to }, call) =>
      withChangedPlace(options, from, call, { links: 'named' }, async (source) => {
        await lstat(source.folder.at(source.name));
        return await withChangedPlace(options, to, call, { links: 'named', make: true }, async (target) => {
          if ((await statOrNull(target)) !== null) throw failure(`${to} is there already`, 'Use another name.');
          await rename(source.folder.at(source.name), target.folder.at(target.name));
          return ok({ from, to });
        });
      }),
  });
}

export function removeTool(options: FilesOptions): Tool {
  return defineTool({
    name: 'files.remove',
    about: 'Removes a file, a link or a folder of the desk. It cannot be restored.',
    input: z.strictObject({
      path: Path,
      recursive: z.boolean().default(false).describe('Also a folder that has something in it, with all of it.'),
      missing_ok: z.boolean().default(false).describe('It is fine when nothing is there.'),
    }),
    output: z.strictObject({ path: Path }),
    annotations: { destructive: true, risk: 'high' },
    idempotent: ({ missing_ok }) => missing_ok,
    targets: ['path'],
    class: 'write_local',
    act: async ({ path, recursive, missing_ok }, call) => {
      let seen = false;
      try {
        await withChangedPlace(options, path, call, { links: 'named' }, async ({ folder, name }) => {
          const found = await lstat(folder.at(name));
          seen = true;
          if (found.isDirectory()) await removeFolder(folder, name, recursive);
          else await unlink(folder.at(name));
        });
      } catch (error) {
        if (seen || !missing_ok || !isMissing(error)) throw error;
      }
      return ok({ path });
    },
  });
}

/** Whether nothing has the name, or a folder above it does not exist. */
const isMissing = (error: unknown): boolean => error instanceof OkaError && errnoOf(error.cause) === 'ENOENT';

/** The place that is changed (F3, F5). */
async function withChangedPlace<T>(
  options: FilesOptions,
  path: string,
  call: ToolCall,
  way: WalkOptions,
  act: (place: Place) => Promise<T>,
): Promise<T> {
  const top = await topFolder(options, path, 'write', call);
  await assertInPlace(options, top, path, call); // before folders are made on the way
  return withPlace(top, path, way, async (place) => {
    const real = relative(await realpath(top), join(place.folder.real, place.name));
    await assertInPlace(options, top, real, call);
    if (programTrigger(real) !== null && programTrigger(path) === null)
      throw new Refused(`${path} leads to ${real}, which makes other programs run`, `Name ${real} itself.`);
    return act(place);
  });
}

/** What is there now, or null; throws when it may not be replaced (F2). */
async function checkReplaceable(place: Place): Promise<Stats | null> {
  const found = await statOrNull(place);
  if (found === null) return null;
  assertRegular(found, place.path);
  if (found.nlink > 1) throw new Refused(`${place.path} has a second name elsewhere`, 'Remove it and write it again.');
  return found;
}

async function statOrNull({ folder, name }: Place): Promise<Stats | null> {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

async function readBytes(place: Place): Promise<Buffer> {
  const { file, stats } = await openRegular(place);
  await using _ = file;
  return await readContent(file, stats.size, place.path);
}

/** The text around every occurrence of the old. */
function splitAtOld(bytes: Buffer, input: { path: string; old: string; new: string; all: boolean }): string[] {
  if (!isText(bytes)) throw failure(`${input.path} is not text`, 'Only text can be edited.');
  const pieces = bytes.toString().split(input.old);
  const times = pieces.length - 1;
  if (times === 0)
    throw failure(
      `the old text is not in ${input.path}`,
      'Read it again and quote it exactly; HTML with source: true.',
    );
  if (times === 1 || input.all) return pieces;
  throw failure(`the old text is ${times} times in ${input.path}`, 'Quote more of what is around it, or set all.');
}

async function replaceContent({ folder, name }: Place, bytes: Buffer, mode = 0o644): Promise<void> {
  const temporary = folder.at(`.oka-${randomUUID()}.tmp`);
  await replaceFileAsync(folder.at(name), bytes, { temporary, mode: mode & 0o777, exactMode: true });
  await folder.handle.sync();
}

/** Goes by descriptors: what turns into a link meanwhile is removed or refused, never followed. */
async function removeFolder(parent: Folder, name: string, recursive: boolean, depth = 0): Promise<void> {
  if (depth > DEEPEST) throw failure(`${name} is nested too deep`, 'Remove what is further down first.');
  if (recursive) {
    await using folder = await parent.enter(name);
    for (const each of await readdir(folder.at(), { withFileTypes: true })) {
      if (each.isDirectory()) await removeFolder(folder, each.name, true, depth + 1);
      else await unlink(folder.at(each.name));
    }
  }
  await rmdir(parent.at(name));
}
