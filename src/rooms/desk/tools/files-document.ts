/**
 * Owns: what files.read gives of a document: its text and facts about it, instead of its bytes.
 * Does not own: how documents are read (kit/documents).
 */
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { isShowable, PICTURE_BYTES } from '../../../core/schema/picture.ts';
import type { ArtifactStore } from '../../../core/schema/ports.ts';
import { ArtifactRef, type Outcome, type ToolCall } from '../../../core/schema/tool.ts';
import { DOCUMENT_BYTES, type DocumentText } from '../../../kit/documents/document-contract.ts';
import { HEAD_BYTES, recogniseDocument } from '../../../kit/documents/document-kinds.ts';
import { asCaptured, isText, toBodyText } from '../../../kit/text/body-text.ts';
import { failure, ok } from '../../../kit/define-tool.ts';
import { readAtMost } from './file-content.ts';
import type { FilesOptions } from './files-options.ts';

/** Longest text of a document that is stored in the event itself. */
const INLINE_BYTES = 65_536;
/** The longest side of a picture that a model can be shown; larger ones are only described. */
const IMAGE_SIDE = 8000;

export const documentInput = {
  pages: z.string().max(20).optional().describe('Pages, slides or chapters of a document: 3 or 2-5.'),
  sheet: z.string().max(100).optional().describe('Name or number of a sheet.'),
  range: z.string().max(30).optional().describe('Cells of a sheet: A1:D20.'),
  source: z.boolean().optional().describe('The bytes of the file instead: HTML and e-mail as they are.'),
};

export const DocumentFacts = z
  .strictObject({
    format: z.string().describe('What kind of document it is.'),
    title: z.string().optional().describe('Its title.'),
    pages: z.int().nonnegative().optional().describe('How many pages, slides or chapters it has.'),
    sheets: z
      .array(z.strictObject({ name: z.string(), rows: z.int().nonnegative(), columns: z.int().nonnegative() }))
      .optional()
      .describe('Its sheets.'),
    image: z
      .strictObject({
        type: z.string(),
        width: z.int().positive(),
        height: z.int().positive(),
        artifact: ArtifactRef.optional().describe('The picture itself, for models that see.'),
      })
      .optional()
      .describe('A picture and its size in pixels.'),
    attachments: z
      .array(z.strictObject({ name: z.string(), type: z.string(), bytes: z.int().nonnegative() }))
      .optional()
      .describe('What is attached to an e-mail.'),
    cut: z.literal(true).optional().describe('There is more text; read fewer pages, or a range.'),
  })
  .describe('What it is, when it is a document: the content is its text then.');

type DocumentQuery = {
  path: string;
  size: number;
  pages?: string | undefined;
  sheet?: string | undefined;
  range?: string | undefined;
  source?: boolean | undefined;
};

/** Null when the file is no document, or its bytes are wanted. */
export async function readAsDocument(
  { readDocument, artifacts }: FilesOptions,
  file: FileHandle,
  { path, size, source, ...request }: DocumentQuery,
  call: ToolCall,
): Promise<Outcome | null> {
  if (readDocument === undefined || source === true) return null;
  const name = basename(path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD_BYTES), position: 0 });
  const found = recogniseDocument(buffer.subarray(0, bytesRead), name);
  if (found === null) return null;
  const bytes = size > DOCUMENT_BYTES ? null : await readAtMost(file, DOCUMENT_BYTES);
  if (bytes === null) throw failure(`${path} has ${size} bytes, too many for a document`, 'Split it.');
  const isTable = found.is === 'kind' && found.kind.format === 'csv';
  if (isTable && request.range === undefined && isText(bytes)) return null;
  const reply = await readDocument(bytes, { name, ...request }, call.signal);
  if ('problem' in reply) throw failure(`${path} cannot be read: ${reply.problem}`, reply.fix);
  const { text, ...facts } = reply.document;
  const body = await toBodyText(asCaptured(Buffer.from(text)), {
    artifacts,
    inline: INLINE_BYTES,
    name: `${name}.txt`,
  });
  const { text: content, ...rest } = body;
  const image = facts.image === undefined ? null : await storeImage(facts.image, bytes, name, artifacts);
  const outcome = ok(
    { path, size, content, ...rest, document: { ...facts, ...(image === null ? {} : { image }) } },
    body,
  );
  return image?.artifact === undefined
    ? outcome
    : { ...outcome, artifacts: [...(outcome.artifacts ?? []), image.artifact] };
}

/** Stores a picture that a model can be shown. */
async function storeImage(
  image: NonNullable<DocumentText['image']>,
  bytes: Buffer,
  name: string,
  artifacts: ArtifactStore | undefined,
): Promise<NonNullable<DocumentText['image']> & { artifact?: ArtifactRef }> {
  const canBeShown = isShowable(image.type) && bytes.length <= PICTURE_BYTES;
  if (artifacts === undefined || !canBeShown || Math.max(image.width, image.height) > IMAGE_SIDE) return image;
  return { ...image, artifact: await artifacts.put(bytes, { media: image.type, name: name.slice(0, 255) }) };
}
