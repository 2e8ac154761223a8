/** What the page of the context tree shows. */
import { z } from 'zod';
import { FrameRecord, FrameType } from '../../../core/schema/frame.ts';
import { Sha256 } from '../../../core/schema/names.ts';
import { NodeRecord } from '../../../core/schema/tree.ts';

const Child = z.strictObject({
  ...NodeRecord.shape,
  heads: z
    .array(
      z.strictObject({
        id: Sha256.describe('The frame.'),
        type: FrameType,
        stale: z.string().optional().describe('Why it is stale.'),
      }),
    )
    .describe('The latest frame of each type.'),
  stale_below: z.int().nonnegative().describe('How many frames below it are stale.'),
});

export const TreeAnswer = z
  .strictObject({
    workspace: z.string().describe('Which workspace.'),
    workspaces: z.array(z.string()).describe('All that have a tree.'),
    root: Sha256.nullable().describe('The root; null before the first scan.'),
    files: z.int().nonnegative().describe('How many files there are.'),
    folders: z.int().nonnegative().describe('How many folders there are.'),
    frames: z.int().nonnegative().describe('How many frames there are.'),
    stale: z.int().nonnegative().describe('How many of them are stale.'),
    scanned_at: z.string().nullable().describe('When it was scanned last.'),
    node: NodeRecord.nullable().describe('The node that is shown; null when it is not in the tree.'),
    path: z.string().describe('Its path.'),
    children: z.array(Child).describe('What is in it.'),
    more: z.int().nonnegative().describe('Entries beyond those.'),
    history: z
      .array(
        z.strictObject({ ...FrameRecord.shape, content: z.string().nullable().describe('The text, if it is read.') }),
      )
      .describe('Its frames, the latest first.'),
    plan: z
      .strictObject({
        frames: z.int().nonnegative().describe('Frames that would be made again.'),
        model_calls: z.int().nonnegative().describe('How often a model would be asked.'),
        tokens: z.int().nonnegative().describe('About how many tokens that would cost.'),
      })
      .describe('What a regeneration of the node and everything below it would do.'),
  })
  .describe('A node of a context tree, with its frames.');
