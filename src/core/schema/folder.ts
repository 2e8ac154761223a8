import { z } from 'zod';

const FolderAccess = z.enum(['read', 'write']).describe('Whether files may only be read there, or changed, too.');

export const OpenFolder = z
  .strictObject({
    path: z.string().min(1).max(1000).describe('Absolute path of the folder.'),
    access: FolderAccess,
  })
  .describe('A folder outside the desk that a task may use, with everything below it.');
export type OpenFolder = z.infer<typeof OpenFolder>;

export const PolicyFolder = z
  .strictObject({
    path: z.string().min(1).max(1000).describe('Absolute path, or one that begins with ~/ for your own home folder.'),
    access: FolderAccess,
    tasks: z
      .union([z.enum(['all', 'named']), z.array(z.string().min(1).max(200)).min(1).max(100)])
      .default('named')
      .describe(
        'Which tasks may use it: all; named (those that write its path, in reads:, writes: or their text); or a list of globs over id, title, tags and file name.',
      ),
    undo: z
      .enum(['required', 'none'])
      .default('required')
      .describe('Whether oka asks before tasks write to a folder that is too large to be restored, or lets them.'),
  })
  .describe('A folder outside the desk that tasks may use.');
export type PolicyFolder = z.infer<typeof PolicyFolder>;

/** The path itself counts. */
export const isInFolder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
