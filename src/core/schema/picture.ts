/**
 * A picture in the prompt of a model: a pointer to its bytes, which are read from the artifacts when the request is made,
 * so that no event contains them.
 */
import { z } from 'zod';
import type { Json } from './json.ts';
import { jsonField } from './json-field.ts';
import { ArtifactRef } from './tool.ts';

export const PromptPicture = z
  .strictObject({
    name: z.string().min(1).max(60).describe('What the text calls it, such as Picture 1.'),
    artifact: ArtifactRef,
    width: z.int().positive().optional().describe('In pixels; left out if it is not known.'),
    height: z.int().positive().optional().describe('In pixels.'),
  })
  .describe('A picture for a model that sees.');
export type PromptPicture = z.infer<typeof PromptPicture>;

/** The largest picture that is shown: encoded in base64 it has 5 MB, the most that providers accept. */
export const PICTURE_BYTES = 3_750_000;

const SHOWABLE = /^image\/(?:png|jpeg|gif|webp)$/;

export const isShowable = (media: string): boolean => SHOWABLE.test(media);

/** The pictures that a tool has stored; only fields that oka itself writes count, never what a file or a server says. */
export function storedPictures(tool: string, output: Json): Omit<PromptPicture, 'name'>[] {
  const document = tool === 'files.read' ? jsonField(output, 'document') : null;
  const files = tool.startsWith('mcp.') ? jsonField(output, 'files') : null;
  const found = [jsonField(document, 'image'), ...(Array.isArray(files) ? files : [])];
  return found.flatMap((each) => {
    const read = StoredPicture.safeParse(each).data;
    return read !== undefined && isShowable(read.artifact.media) ? [read] : [];
  });
}

const StoredPicture = PromptPicture.omit({ name: true }).strip();

/** The media type of an image by its first bytes, given as Latin-1; null if it is none. */
export function imageType(start: string): string | null {
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  if (/^RIFF[^]{4}WEBP/.test(start)) return 'image/webp';
  if (/^BM[^]{4}\0{4}/.test(start)) return 'image/bmp';
  return /^(?:II\*\0|MM\0\*)/.test(start) ? 'image/tiff' : null;
}
