import { z } from 'zod';
import { Sha256 } from './names.ts';

export const Frame = z
  .strictObject({
    id: Sha256.describe('Hash of basis, type and agent.'),
    node: Sha256.describe('The file or folder it is about, by content.'),
    type: z.string().max(80).describe('What kind of view it is, such as summary.'),
    basis: Sha256.describe('Hash of everything it was made from; a changed basis makes it stale.'),
    agent: z.string().max(120).describe('Who wrote it.'),
    content: z.string().max(200_000).describe('The text.'),
  })
  .describe('What somebody understood of one node of the workspace. Frames are added, never changed.');
export type Frame = z.infer<typeof Frame>;
