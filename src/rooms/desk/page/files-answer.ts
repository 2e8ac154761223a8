/** What the page Files shows. */
import { z } from 'zod';
import { Instant } from '../../../core/schema/names.ts';
import { SHAPES } from '../../../kit/web/how-shown.ts';

const Touch = z
  .strictObject({
    path: z.string().describe('The file, relative to the desk.'),
    change: z.enum(['created', 'changed', 'removed']).describe('What was done to it.'),
    run: z.string().describe('The run that did it.'),
    title: z.string().describe('What the run was about.'),
    at: Instant.describe('When.'),
    is_undone: z.boolean().describe('Whether the run was undone since.'),
  })
  .describe('What a run did to a file.');

const Entry = z
  .strictObject({
    name: z.string().describe('Its name.'),
    path: z.string().describe('Its path, relative to the desk.'),
    kind: z.enum(['folder', 'file', 'other']).describe('Other: a link, which is not followed, or a device.'),
    bytes: z.int().nonnegative().describe('How large a file is.'),
    modified: Instant.describe('When it was changed last, by anybody.'),
    shown: z.enum(SHAPES).describe('How a file may be shown.'),
    latest: Touch.nullable().describe('The last run that changed it, or something in it; null when none is known.'),
  })
  .describe('What is in a folder.');

export const FilesAnswer = z
  .strictObject({
    path: z.string().describe('What was asked for, relative to the desk; empty for the desk itself.'),
    folder: z.string().describe('The folder that is listed: this one, or the one that the file is in.'),
    is_there: z.boolean().describe('False when there is no such file or folder any more.'),
    entries: z.array(Entry).describe('What is in the folder: folders first.'),
    more: z.int().nonnegative().describe('Entries beyond those.'),
    file: Entry.extend({ href: z.string().describe('Where it can be read, relative to the dashboard.') })
      .nullable()
      .describe('The file that was asked for.'),
    history: z.array(Touch).describe('What runs did to this file, or in this folder; the latest first.'),
  })
  .describe('A folder of the desk, and a file of it.');

export type FilesAnswer = z.infer<typeof FilesAnswer>;
export type Touch = z.infer<typeof Touch>;
