/** Owns: which reader understands a document, and what is said when none does. */
import { type DocumentReply, type DocumentRequest, type DocumentText, Unreadable } from './document-contract.ts';
import { type DocumentKind, documentKinds, recogniseDocument } from './document-kinds.ts';
import type { OfficeArchive } from './office-archive.ts';

export async function replyTo(bytes: Uint8Array, asked: DocumentRequest): Promise<DocumentReply> {
  try {
    return { document: await readBytes(bytes, asked) };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message, fix: error.fix };
    const words = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return {
      problem: `it is damaged, or of a kind that cannot be read (${words.slice(0, 200)})`,
      fix: 'Save it again.',
    };
  }
}

async function readBytes(bytes: Uint8Array, asked: DocumentRequest): Promise<DocumentText> {
  const found = recogniseDocument(bytes, asked.name);
  const readAs = async (kind: DocumentKind, archive: OfficeArchive = {}): Promise<DocumentText> => ({
    format: kind.format,
    ...(await kind.read({ bytes, archive, asked })),
  });
  switch (found?.is) {
    case 'kind':
      return readAs(found.kind);
    case 'zip': {
      const { unpackArchive, partText } = await import('./office-archive.ts');
      const archive = unpackArchive(bytes);
      return readAs(kindOfArchive(archive, partText(archive, 'mimetype')?.trim() ?? ''), archive);
    }
    case 'ole':
      return readAs(kindOfStreams(bytes));
    case 'broken':
    case undefined:
      throw bytes.length === 0
        ? new Unreadable('it is empty (0 bytes)', 'Fetch or save it again.')
        : new Unreadable('its content is not of the kind that its name says', 'Check where it came from.');
  }
}

function kindOfArchive(archive: OfficeArchive, mimetype: string): DocumentKind {
  const kind = documentKinds.find(({ parts }) => parts?.(archive, mimetype) === true);
  if (kind !== undefined) return kind;
  throw new Unreadable('it is an archive, and not a document of a known kind', 'Unpack it first.');
}

/** Old Office files, and new ones with a password, have the same container; the names of its streams are UTF-16. */
function kindOfStreams(bytes: Uint8Array): DocumentKind {
  const has = (stream: string): boolean => Buffer.from(bytes).includes(Buffer.from(stream, 'utf16le'));
  if (has('EncryptedPackage'))
    throw new Unreadable('it is encrypted and needs a password', 'Save a copy without the password.');
  const kind = documentKinds.find(({ streams = [] }) => streams.some(has));
  if (kind !== undefined) return kind;
  const [what, newer] = has('PowerPoint Document') ? ['a presentation', 'PPTX'] : ['a document', 'DOCX'];
  throw new Unreadable(`it is ${what} in an old format of Office`, `Save it as ${newer} or PDF.`);
}
