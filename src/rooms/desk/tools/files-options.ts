/** What every file tool needs, and below which folder a call acts. */
import type { Stats } from 'node:fs';
import { isAbsolute, posix, relative, resolve } from 'node:path';
import { z } from 'zod';
import { isInFolder, type OpenFolder } from '../../../core/schema/folder.ts';
import type { ArtifactStore } from '../../../core/schema/ports.ts';
import type { FileOrigin, ToolCall } from '../../../core/schema/tool.ts';
import type { DocumentReply, DocumentRequest } from '../../../kit/documents/document-contract.ts';
import type { FileOrigins } from '../../../kit/desk/file-origins.ts';
import { isInAny } from '../../../kit/desk/reach.ts';
import { Refused } from '../../../kit/define-tool.ts';
import type { Place } from './desk-place.ts';

type ReadDocument = (bytes: Uint8Array, request: DocumentRequest, signal: AbortSignal) => Promise<DocumentReply>;

export type FilesOptions = {
  /** The folder below which all of it happens, unless a call names a path in one of `folders`. */
  desk: string;
  /** Folders outside the desk, by their real paths, that are open to a call; none when left out. */
  folders?: (call: ToolCall) => Promise<readonly OpenFolder[]>;
  /** The folders of the desk that a call may change; null, and when left out, for all of it. */
  placeOf?: (call: ToolCall) => Promise<readonly string[] | null>;
  /** Which calls made a file of the desk what it is; without it all are a person's. */
  origins?: Pick<FileOrigins, 'find'>;
  artifacts?: ArtifactStore;
  /** Reads documents where they cannot hurt; without it they are bytes. */
  readDocument?: ReadDocument;
};

/** The desk, or the folder outside it that contains an absolute path. */
export async function topFolder(
  { desk, folders }: FilesOptions,
  path: string,
  access: OpenFolder['access'],
  call: ToolCall,
): Promise<string> {
  if (folders === undefined || !isAbsolute(path) || isInFolder(path, resolve(desk))) return desk;
  const around = (await folders(call)).filter((folder) => isInFolder(path, folder.path));
  const writable = around.find((folder) => folder.access === 'write');
  if (access === 'write' && around.length > 0 && writable === undefined)
    throw new Refused(`${path} is in a folder that this task may only read`, 'Write to the desk instead.');
  return (writable ?? around[0])?.path ?? desk;
}

/** Throws when a path below `top` is not in the place of the call's task. A fork has all of its copy. */
export async function assertInPlace(
  { desk, placeOf }: FilesOptions,
  top: string,
  path: string,
  call: ToolCall,
): Promise<void> {
  const place = top !== desk || call.desk !== undefined ? null : ((await placeOf?.(call)) ?? null);
  if (place === null || isInAny(relative(resolve(desk), resolve(desk, path)), place)) return;
  const named = place.join(', ');
  throw new Refused(`${path} is not in ${named}, which is what this task may change`, `Write to ${place[0]} instead.`);
}

/** What a tool that has looked into a file says of its content, for its label (core/guard/file-labels.ts). */
export const labelFields = {
  real: z.string().optional().describe('Where it really is, if a link led there; ? if it has a second name elsewhere.'),
  origin: z
    .array(z.strictObject({ run: z.string(), call: z.string() }))
    .optional()
    .describe("The calls of runs that made it what it is; absent if it is a person's."),
};

/** `nameOf` gives the name of its content in the snapshots; of a file that no call has written nothing is read for it. */
export async function labelOf(
  { origins }: FilesOptions,
  { real, path }: Place,
  stats: Pick<Stats, 'nlink'> | null,
  nameOf: () => Promise<string>,
): Promise<{ real?: string; origin?: FileOrigin[] }> {
  const found = (await origins?.find(posix.normalize(real ?? path), nameOf)) ?? [];
  const elsewhere = (stats?.nlink ?? 1) > 1 ? '?' : real;
  return {
    ...(elsewhere === undefined ? {} : { real: elsewhere }),
    ...(found.length === 0 ? {} : { origin: [...found] }),
  };
}
