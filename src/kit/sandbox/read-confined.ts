/** Owns: reading a document with the launcher of this installation. Needs no home. */
import type { DocumentReply, DocumentRequest } from '../documents/document-contract.ts';
import { readDocument } from '../documents/read-document.ts';
import { probeKernel } from './probe-kernel.ts';
import { prepareLauncher } from './find-launcher.ts';

export async function readConfined(
  bytes: Uint8Array,
  request: DocumentRequest,
  signal: AbortSignal,
): Promise<DocumentReply> {
  const { path } = await prepareLauncher();
  const { landlock } = await probeKernel(path);
  return readDocument(bytes, request, { launcher: landlock > 0 ? path : null, signal });
}
