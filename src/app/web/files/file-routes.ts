/**
 * Owns: the addresses of files: those on the desk, and what a run left: its result, artifacts, and the run as one file.
 * No run is called "-", so the desk has that name.
 */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Context, Hono } from 'hono';
import { problemOf } from '../../../kit/web/api/problem.ts';
import { type Reading } from '../../../kit/web/api/query-routes.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { ID_SHAPE } from '../../../core/schema/id-shape.ts';
import { openDeskFile } from '../../../rooms/desk/page/desk-files.ts';
import { readRunTree } from '../../../rooms/runs/run-page/run-tree.ts';
import { exportRun } from './export-run.ts';
import { cleanMarkup } from './clean-markup.ts';
import { fileHeaders, isMarkup } from './file-headers.ts';
import { openResultFile, readRunArtifact } from './open-run-file.ts';

/** What they lead to is for whoever has a session; the caller sees to that. */
export function addFileRoutes(app: Hono, { home, reader }: Reading, base: string): void {
  app.get('/files/-/*', async (context) => {
    try {
      const path = decodePath(new URL(context.req.url).pathname.slice(`${base}files/-/`.length));
      const { fd, stat } = openDeskFile(home, path);
      return await sendFile(context, path, { fd, bytes: stat.size });
    } catch (error) {
      return problemOf(context, error);
    }
  });
  app.get('/files/:run/*', async (context) => {
    try {
      const { run } = context.req.param();
      const path = decodePath(new URL(context.req.url).pathname.slice(`${base}files/${run}/`.length));
      return await sendFile(context, path, openResultFile(home, run, path));
    } catch (error) {
      return problemOf(context, error);
    }
  });
  app.get('/artifacts/:run/:sha256', async (context) => {
    try {
      const { run, sha256 } = context.req.param();
      const { all } = await readRunTree({ home, views: reader.read }, knownShape(run));
      const { ref, content } = await readRunArtifact(home, all, sha256);
      const isDownload = context.req.query('download') !== undefined;
      const headers = fileHeaders(ref.name ?? `${sha256.slice(0, 12)}.txt`, content.length, { isDownload });
      if (isCopied(ref.name ?? '', headers)) return sendCopy(content, headers);
      return new Response(new Uint8Array(content), { headers });
    } catch (error) {
      return problemOf(context, error);
    }
  });
  app.get('/api/v1/run-export', async (context) => {
    try {
      const run = knownShape(context.req.query('run') ?? '');
      const form = context.req.query('form') === 'json' ? 'json' : 'html';
      const text = await exportRun({ home, views: reader.read }, run, form);
      const headers = fileHeaders(`${run}.${form}`, Buffer.byteLength(text), { isDownload: true });
      return new Response(text, { headers });
    } catch (error) {
      return problemOf(context, error);
    }
  });
}

async function sendFile(
  context: Context,
  path: string,
  { fd, bytes }: { fd: number; bytes: number },
): Promise<Response> {
  const isDownload = context.req.query('download') !== undefined;
  const headers = fileHeaders(path, bytes, { isDownload });
  const stream = createReadStream('', { fd, autoClose: true });
  if (isCopied(path, headers)) return sendCopy(await buffer(stream), headers);
  return new Response(Readable.toWeb(stream) as globalThis.ReadableStream, { headers });
}

const isCopied = (path: string, headers: Readonly<Record<string, string>>): boolean =>
  isMarkup(path) && headers['Content-Disposition']?.startsWith('inline') === true;

/** A drawing or picture wider than its frame is shown whole. */
const FITTED = '<style>svg,img{max-width:100%;height:auto}</style>';

function sendCopy(content: Buffer, headers: Readonly<Record<string, string>>): Response {
  const copy = Buffer.from(cleanMarkup(content.toString('utf8')) + FITTED);
  return new Response(copy, { headers: { ...headers, 'Content-Length': String(copy.length) } });
}

function knownShape(run: string): string {
  if (ID_SHAPE.test(run)) return run;
  throw new OkaError('no-such-run', 'there is no run of that name');
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new OkaError('artifact-missing', 'There is no such file in the result of this run.');
  }
}
