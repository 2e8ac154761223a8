/** The text of a file. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { readConfined } from '../../../kit/sandbox/read-confined.ts';
import { errnoOf, OkaError } from '../../../core/schema/errors.ts';
import { DOCUMENT_BYTES, type DocumentText } from '../../../kit/documents/document-contract.ts';
import { recogniseDocument } from '../../../kit/documents/document-kinds.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { plainLines } from '../../../kit/cli/plain-text.ts';
import { text } from '../../../kit/cli/options.ts';

type Data = DocumentText & { file: string };

type Options = { pages: string | undefined; sheet: string | undefined; range: string | undefined };

export const commands: Commands = {
  read: command({
    summary: 'Print the text of a file: PDF, DOCX, ODT, XLSX, ODS, CSV, PPTX, EPUB, HTML, e-mail, picture',
    operands: '<file>',
    options: {
      pages: text('N-M', 'Only these pages, slides or chapters, such as 3 or 2-5.'),
      sheet: text('NAME', 'Only this sheet, by its name or number.'),
      range: text('CELLS', 'Only these cells, such as A1:D20.'),
    },
    example: 'oka read report.pdf --pages 1-3',
    /** Needs no home: it reads the file that is named, and changes nothing. */
    run: async ({ signal, options, ...call }: Call<Options>): Promise<Answer<Data>> => {
      const file = onlyOperand(call, 'file');
      const bytes = await readRegularFile(file);
      const name = basename(file);
      if (recogniseDocument(bytes, name) === null)
        return answer({ file, format: 'text', text: toPlainText(file, bytes) });
      const reply = await readConfined(bytes, { name, ...options }, signal);
      if ('problem' in reply)
        throw new OkaError('invalid-file', `${file} cannot be read: ${reply.problem}`, { fix: reply.fix });
      return answer({ file, ...reply.document });
    },
    render: ({ text, cut }: Data): string =>
      `${plainLines(text)}\n${cut === true ? '\n[there is more; name pages or a range]\n' : ''}`,
  }),
};

/** A pipe or a device is not opened: it would block, or act. */
async function readRegularFile(file: string): Promise<Buffer> {
  const handle = await openFile(file);
  await using _ = handle;
  const stats = await handle.stat();
  if (!stats.isFile())
    throw new OkaError('usage', `${file} is ${stats.isDirectory() ? 'a folder' : 'a pipe, a socket or a device'}`, {
      fix: 'Name a regular file.',
    });
  if (stats.size > DOCUMENT_BYTES)
    throw new OkaError('invalid-file', `${file} has ${stats.size} bytes, more than ${DOCUMENT_BYTES}`, {
      fix: 'Split it.',
    });
  return handle.readFile();
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const why = errnoOf(error) === 'ENOENT' ? 'does not exist' : `cannot be opened (${errnoOf(error)})`;
    throw new OkaError('usage', `${file} ${why}`, { cause: error });
  }
}

function toPlainText(file: string, bytes: Buffer): string {
  if (!bytes.includes(0)) return new TextDecoder().decode(bytes);
  throw new OkaError('invalid-file', `${file} is neither text nor a document of a known kind`, {
    fix: 'Known are PDF, DOCX, ODT, XLSX, XLS, ODS, CSV, PPTX, ODP, HTML, EPUB, EML and pictures.',
  });
}
