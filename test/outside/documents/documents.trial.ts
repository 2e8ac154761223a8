/** Fifty documents that other programs made, and broken ones, through files.read and the process that reads documents. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfined } from '../../../src/kit/sandbox/read-confined.ts';
import { openArtifacts } from '../../../src/core/ledger/artifact-store.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Outcome } from '../../../src/core/schema/tool.ts';
import { filesTools } from '../../../src/rooms/desk/tools/files.ts';
import { makeDocx, makePdf, makePng, makeZip, wordDocument } from '../../support/documents.ts';
import { use } from '../../rooms/desk/tools/support.ts';
import { type MadeDocument, makeDocuments, missingPrograms } from './document-programs.ts';

const missing = missingPrograms();
if (missing !== null) console.warn(`documents of other programs are not tried: ${missing}`);

const root = realpathSync(mkdtempSync(join(tmpdir(), 'oka-documents-')));
const desk = join(root, 'desk');
mkdirSync(desk);
writeFileSync(join(root, 'outside.txt'), 'outside');
afterAll(() => rmSync(root, { recursive: true, force: true }));

const [read] = filesTools({
  desk,
  artifacts: openArtifacts(join(root, 'artifacts'), (text) => text),
  readDocument: readConfined,
});
const readPath = (path: string, more: Record<string, Json> = {}): Promise<Outcome> => use(read, { path, ...more });

let documents: MadeDocument[] = [];
beforeAll(() => {
  if (missing === null) documents = makeDocuments(desk);
});

describe.skipIf(missing !== null)('documents that other programs made', () => {
  it('give their text', async () => {
    const wrong: string[] = [];
    for (const { file, has } of documents) {
      const text = await wholeText(await readPath(file, file.endsWith('.csv') ? { range: 'A:Z' } : {}));
      const lacking = has.filter((each) => !flatten(text).includes(flatten(each)));
      if (lacking.length > 0) wrong.push(`${file}: ${lacking.join(' / ')} not in: ${text.slice(0, 300)}`);
    }
    expect(documents.length).toBeGreaterThanOrEqual(50);
    expect(wrong).toEqual([]);
  });

  it('and a PDF of 200 pages is read within 300 MB, seen from outside', async () => {
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, peakOfReaders())), 20);
    const text = await wholeText(await readPath('pages200.pdf'));
    clearInterval(watch);
    expect(text).toContain('[page 200]\nLine 0 of page 200');
    expect(text.match(/^\[page \d+\]$/gm)).toHaveLength(200);
    console.log(`200 pages: ${text.length} characters, peak ${Math.round(most / 1024)} MB`);
    expect(most).toBeGreaterThan(10_000);
    expect(most).toBeLessThan(300 * 1024);
  });

  it('and an encrypted one needs its password', async () => {
    expect(await readPath('secret.pdf')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('password'),
    });
  });

  it('and each of them cut off in the middle gives text or a reason', async () => {
    for (const { file } of documents.filter((_, index) => index % 3 === 0)) {
      const bytes = readFileSync(join(desk, file));
      const name = `cut-${file}`;
      writeFileSync(join(desk, name), bytes.subarray(0, Math.floor(bytes.length / 2)));
      const outcome = await readPath(name);
      if (outcome.status !== 'ok')
        expect(outcome).toMatchObject({ error: expect.stringContaining('cannot be read: it') });
    }
  });
});

describe('a broken document', () => {
  const entities = `<!DOCTYPE x [<!ENTITY e0 "ha">${Array.from({ length: 40 }, (_, index) => `<!ENTITY e${index + 1} "&e${index};&e${index};">`).join('')}]>`;
  const files: [string, Uint8Array, RegExp][] = [
    ['empty.pdf', Buffer.alloc(0), /empty \(0 bytes\)/],
    ['cut.docx', makeDocx(['x'.repeat(5000)]).subarray(0, 400), /cut off or damaged/],
    ['noise.xlsx', Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256)), /not of the kind/],
    ['bomb.docx', makeZip({ 'word/document.xml': Buffer.alloc(300_000_000, 32) }), /unpacks to more than/],
    ['lying.docx', lyingZip(), /damaged|cut off|needs more than/],
    ['huge.pdf', Buffer.concat([makePdf(['x']), Buffer.alloc(70_000_000)]), /too many for a document/],
    ['sparse.xlsx', sparseWorkbook(), /damaged: /],
    [
      'cycle.pdf',
      Buffer.from(
        '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[2 0 R]>>endobj\ntrailer<</Root 1 0 R>>',
      ),
      /damaged/,
    ],
    ['deep.html', Buffer.from(`<html>${'<div>'.repeat(200_000)}deep`), /damaged|longer than|memory/],
  ];
  it.each(files)('%s gives a reason', async (name, bytes, reason) => {
    writeFileSync(join(desk, name), bytes);
    const outcome = await readPath(name);
    expect(outcome.status === 'ok' ? JSON.stringify(outcome).slice(0, 500) : outcome).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(reason),
    });
  });

  it('with entities that grow without end is not expanded', async () => {
    writeFileSync(join(desk, 'entities.docx'), makeDocx([], wordDocument(['&e40;'], entities)));
    expect(JSON.stringify(await readPath('entities.docx'))).not.toContain('haha');
  });

  it('under a wrong name is read for what it is', async () => {
    writeFileSync(join(desk, 'picture.pdf'), makePng(3, 4));
    expect(await readPath('picture.pdf')).toMatchObject({ output: { document: { format: 'image' } } });
  });

  it('with absurd dimensions is described, not unpacked', async () => {
    writeFileSync(join(desk, 'absurd.png'), makePng(2_000_000_000, 2_000_000_000));
    expect(await readPath('absurd.png')).toMatchObject({ output: { content: expect.stringContaining('2000000000') } });
  });

  it('that is a pipe, or a link that leads out of the desk, is not opened', async () => {
    execFileSync('mkfifo', [join(desk, 'pipe.pdf')]);
    symlinkSync(join(root, 'outside.txt'), join(desk, 'link.pdf'));
    expect((await readPath('pipe.pdf')).status).toBe('denied');
    expect((await readPath('link.pdf')).status).toBe('denied');
  });
});

/** The text of an outcome, also where it is long and only its artifact has all of it. */
async function wholeText(outcome: Outcome): Promise<string> {
  if (outcome.status !== 'ok') return 'error' in outcome ? outcome.error : outcome.status;
  const { content, artifact } = outcome.output as { content: string; artifact?: { sha256: string } };
  if (artifact === undefined) return content;
  const file = readdirSync(join(root, 'artifacts'), { recursive: true })
    .map(String)
    .find((name) => name.includes(artifact.sha256.slice(8)));
  return file === undefined ? content : readFileSync(join(root, 'artifacts', file), 'utf8');
}

const flatten = (text: string): string => text.replaceAll('\\|', '|').replaceAll(/[\s\u00ad]+/g, ' ');

/** The most memory that any process that reads documents has had, in KB. */
function peakOfReaders(): number {
  const peaks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('document-process.ts')) return 0;
        return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
      } catch {
        return 0; // it has ended
      }
    });
  return Math.max(0, ...peaks);
}

/** An archive whose part is far larger than it declares. */
function lyingZip(): Buffer {
  const bytes = makeZip({ 'word/document.xml': Buffer.alloc(50_000_000, 32), '[Content_Types].xml': '<x/>' });
  for (let at = bytes.indexOf('PK\x01\x02', 0, 'latin1'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 1, 'latin1'))
    bytes.writeUInt32LE(100, at + 24);
  return bytes;
}

/** Two cells, at either end of the largest sheet there can be. */
function sparseWorkbook(): Buffer {
  const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  return makeZip({
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/s.xml"/></Relationships>`,
    'xl/worksheets/s.xml': `<worksheet xmlns="${main}"><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData></worksheet>`,
  });
}
