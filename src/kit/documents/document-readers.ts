/** Owns: which reader understands a document, and what is said when none does. */
import { type DocumentReply, type DocumentRequest, type DocumentText, Unreadable } from './document-contract.ts';
import { recogniseDocument } from './document-format.ts';

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

/** Readers are imported when they are needed: most of the time is spent on loading them. */
async function readBytes(bytes: Uint8Array, asked: DocumentRequest): Promise<DocumentText> {
  switch (recogniseDocument(bytes, asked.name)) {
    case 'pdf':
      return (await import('./pdf-text.ts')).readPdf(bytes, asked);
    case 'zip':
      return readZipped(bytes, asked);
    case 'ole':
      return readOle(bytes, asked);
    case 'image':
      return (await import('./image-text.ts')).readImage(bytes);
    case 'eml':
      return (await import('./mail-text.ts')).readMail(bytes);
    case 'html':
      return (await import('./html-text.ts')).readHtml(bytes);
    case 'csv':
      return (await import('./sheet-text.ts')).readCsv((await import('./html-text.ts')).decodeText(bytes), asked);
    case 'broken':
    case null:
      throw bytes.length === 0
        ? new Unreadable('it is empty (0 bytes)', 'Fetch or save it again.')
        : new Unreadable('its content is not of the kind that its name says', 'Check where it came from.');
  }
}

async function readZipped(bytes: Uint8Array, asked: DocumentRequest): Promise<DocumentText> {
  const { unpackArchive, partText } = await import('./office-archive.ts');
  const archive = unpackArchive(bytes);
  const kind = partText(archive, 'mimetype')?.trim() ?? '';
  if (archive['word/document.xml'] !== undefined) return (await import('./word-text.ts')).readWord(archive);
  if (archive['xl/workbook.xml'] !== undefined)
    return (await import('./sheet-text.ts')).readWorkbook(bytes, 'xlsx', asked);
  if (archive['ppt/presentation.xml'] !== undefined)
    return (await import('./slides-text.ts')).readSlides(archive, asked);
  if (kind.endsWith('opendocument.spreadsheet'))
    return (await import('./sheet-text.ts')).readWorkbook(bytes, 'ods', asked);
  if (kind.endsWith('opendocument.text') || kind.endsWith('opendocument.presentation'))
    return (await import('./open-document-text.ts')).readOpenDocument(
      archive,
      kind.endsWith('text') ? 'odt' : 'odp',
      asked,
    );
  if (archive['META-INF/container.xml'] !== undefined) return (await import('./book-text.ts')).readBook(archive, asked);
  throw new Unreadable('it is an archive, and not a document of a known kind', 'Unpack it first.');
}

/** Old Office files, and new ones with a password, have the same container; the names of its streams are UTF-16. */
async function readOle(bytes: Uint8Array, asked: DocumentRequest): Promise<DocumentText> {
  const has = (stream: string): boolean => Buffer.from(bytes).includes(Buffer.from(stream, 'utf16le'));
  if (has('EncryptedPackage'))
    throw new Unreadable('it is encrypted and needs a password', 'Save a copy without the password.');
  if (has('Workbook') || has('Book')) return (await import('./sheet-text.ts')).readWorkbook(bytes, 'xls', asked);
  const [what, newer] = has('PowerPoint Document') ? ['a presentation', 'PPTX'] : ['a document', 'DOCX'];
  throw new Unreadable(`it is ${what} in an old format of Office`, `Save it as ${newer} or PDF.`);
}
