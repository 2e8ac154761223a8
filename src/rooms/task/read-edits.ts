/** Owns: what a task changed in files that were there before, as texts that can be compared. */
import { basename } from 'node:path';
import type { Redact } from '../../core/schema/ports.ts';
import { HEAD_BYTES, recogniseDocument } from '../../kit/documents/document-kinds.ts';
import { describeEdit } from '../../kit/desk/describe-edit.ts';
import type { FileEdit } from '../../kit/runs/run-changes.ts';
import { readConfined } from '../../kit/sandbox/read-confined.ts';

/** A changed file: what it contains now, and the difference. */
export type ShownEdit = { path: string; now: string; diff: string };

const MOST_FILES = 20;
const MOST_BYTES = 4 * 1024 * 1024;
const TABLES = /\.(?:csv|tsv|xlsx|xlsm|xls|ods)$/i;

/** Those that can be shown as a diff; documents are compared as the text that their readers give. */
export async function readEdits(edits: readonly FileEdit[], redact: Redact, signal: AbortSignal): Promise<ShownEdit[]> {
  const shown: ShownEdit[] = [];
  for (const { path, ...sides } of edits.slice(0, MOST_FILES)) {
    const [before, now] = [
      await readableText(sides.before, path, signal),
      await readableText(sides.after, path, signal),
    ];
    const diff = before === null || now === null ? null : describeEdit(redact(before), redact(now), TABLES.test(path));
    if (now !== null && diff !== null && diff !== '') shown.push({ path, now, diff });
  }
  return shown;
}

/** Null when it is no text and no document that can be read. */
async function readableText(bytes: Buffer, path: string, signal: AbortSignal): Promise<string | null> {
  if (bytes.length > MOST_BYTES) return null;
  if (!bytes.subarray(0, 8192).includes(0)) return bytes.toString('utf8');
  if (recogniseDocument(bytes.subarray(0, HEAD_BYTES), path) === null) return null;
  const read = await readConfined(bytes, { name: basename(path) }, signal);
  return 'document' in read ? read.document.text : null;
}
