/** The formats are read in this process; the process of their own that they get is started where it is the point. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCsv, writeOds, writeXlsx } from 'hucre';
import { describe, expect, it } from 'vitest';
import { nativeFolder, findLauncher } from '../../../src/kit/sandbox/find-launcher.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { DocumentReply, DocumentRequest } from '../../../src/kit/documents/document-contract.ts';
import { recogniseDocument } from '../../../src/kit/documents/document-kinds.ts';
import { replyTo } from '../../../src/kit/documents/document-readers.ts';
import { readDocument, rightsToRead } from '../../../src/kit/documents/read-document.ts';
import { filesTools } from '../../../src/rooms/desk/tools/files.ts';
import { launch } from '../../../src/kit/sandbox/launch.ts';
import type { SandboxLaunch } from '../../../src/kit/sandbox/sandbox-launch.ts';
import { makeDocx, makeEpub, makePdf, makePng, makePptx, makeZip, wordDocument } from '../../support/documents.ts';
import { errorOf, ground, put, use } from '../../rooms/desk/tools/support.ts';

const reply = (bytes: Uint8Array, name: string, request: Omit<DocumentRequest, 'name'> = {}): Promise<DocumentReply> =>
  replyTo(new Uint8Array(bytes), { name, ...request });

const textIn = async (...given: Parameters<typeof reply>): Promise<string> => {
  const answer = await reply(...given);
  if ('problem' in answer) throw new Error(answer.problem);
  return answer.document.text;
};

const problemIn = async (...given: Parameters<typeof reply>): Promise<string> => {
  const answer = await reply(...given);
  return 'problem' in answer ? answer.problem : `no problem: ${answer.document.text}`;
};

describe('a document', () => {
  it('of pages gives its text with page marks, or only the pages asked for', async () => {
    const pdf = makePdf(['First page', '', 'Third page']);
    expect(await reply(pdf, 'a.pdf')).toEqual({
      document: {
        format: 'pdf',
        pages: 3,
        text: '[page 1]\nFirst page\n\n[page 2]\n(no text)\n\n[page 3]\nThird page',
      },
    });
    expect(await textIn(pdf, 'a.pdf', { pages: '2-' })).toBe('[page 2]\n(no text)\n\n[page 3]\nThird page');
    expect(await reply(pdf, 'a.pdf', { pages: '4' })).toEqual({
      problem: 'there is no page 4',
      fix: 'The document has 3 pages.',
    });
    expect(await problemIn(pdf, 'a.pdf', { pages: 'all' })).toBe('"all" names no pages');
    expect(await textIn(makePdf(['']), 'scan.pdf')).toContain('probably a scan');
  });

  it('of words is markdown, whatever its file is called', async () => {
    const docx = makeDocx(['Grüße', 'Second &amp; last']);
    for (const name of ['a.docx', 'a.pdf', 'a', 'a.xlsx'])
      expect(await textIn(docx, name)).toBe('Grüße\n\nSecond & last');
  });

  it('of sheets gives tables: all, one sheet, or a range', async () => {
    const sheets = [
      {
        name: 'Sums',
        rows: [
          ['Who', 'How much', 'When'],
          ['Ann | Co', 12.5, new Date('2026-05-01T00:00:00Z')],
          [null, true],
        ],
      },
      { name: 'Empty', rows: [] },
    ];
    for (const [format, bytes] of [
      ['xlsx', await writeXlsx({ sheets })],
      ['ods', await writeOds({ sheets })],
    ] as const) {
      expect(await textIn(bytes, `a.${format}`)).toMatch(
        /^## Sums\n\n\| Who \| How much \| When \|\n\| Ann \\\| Co \| 12\.5 \| 2026-05-01 \|\n\|  \| true \|.*\n\n## Empty\n\n\(empty\)$/,
      );
      expect(await textIn(bytes, `a.${format}`, { sheet: 'sums', range: 'B1:B2' })).toBe(
        '## Sums\n\n| How much |\n| 12.5 |',
      );
      expect(await textIn(bytes, `a.${format}`, { sheet: '2' })).toBe('## Empty\n\n(empty)');
      expect(await reply(bytes, `a.${format}`, { sheet: 'Nope' })).toMatchObject({ fix: 'It has: Sums, Empty.' });
      expect(await problemIn(bytes, `a.${format}`, { range: 'over there' })).toContain('is no range of cells');
    }
    expect(await textIn(Buffer.from('a;b\nn\xe4h;2\n', 'latin1'), 'x.csv', { range: '2:2' })).toBe(
      '## x.csv\n\n| näh | 2 |',
    );
    expect(await textIn(Buffer.from(writeCsv([['a', 'b']])), 'x.csv')).toContain('| a | b |');
  });

  it('of slides gives their text and notes in the order of the presentation', async () => {
    const pptx = makePptx([{ text: 'Opening', notes: 'Smile' }, { text: 'End' }]);
    expect(await textIn(pptx, 'a.pptx')).toBe('[slide 1]\nOpening\n\nNotes: Smile\n\n[slide 2]\nEnd');
    expect(await textIn(pptx, 'a.pptx', { pages: '2' })).toBe('[slide 2]\nEnd');
  });

  it('of chapters gives their text in reading order', async () => {
    const epub = makeEpub(['<h1>One</h1><p>Text<script>x()</script></p>', '<p>Two</p>']);
    expect(await reply(epub, 'a.epub')).toEqual({
      document: { format: 'epub', title: 'A book', pages: 2, text: '[chapter 1]\n# One\n\nText\n\n[chapter 2]\nTwo' },
    });
  });

  it('that is HTML gives its readable part as markdown', async () => {
    const html =
      '<html><head><title>T</title></head><body><script>alert(1)</script><h2>Head</h2><p>Body <b>bold</b></p></body></html>';
    expect(await textIn(Buffer.from(html), 'a.html')).toBe('## Head\n\nBody **bold**');
  });

  it('that is an e-mail gives header, body and the list of what is attached', async () => {
    const mail = [
      'From: Ann <ann@example.org>',
      'To: bob@example.org',
      'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>See <b>attached</b></p>',
      '--x',
      'Content-Type: application/pdf; name=bill.pdf',
      'Content-Disposition: attachment; filename=bill.pdf',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('%PDF-').toString('base64'),
      '--x--',
    ].join('\r\n');
    expect(await reply(Buffer.from(mail), 'a.eml')).toMatchObject({
      document: {
        title: 'Grüße',
        text: 'From: Ann <ann@example.org>\nTo: bob@example.org\nSubject: Grüße\n\nSee **attached**\n[attachment: bill.pdf, application/pdf, 5 bytes]',
        attachments: [{ name: 'bill.pdf', type: 'application/pdf', bytes: 5 }],
      },
    });
  });

  it('that is a picture gives its size and the texts in its metadata', async () => {
    expect(await reply(makePng(640, 480, 'A cat'), 'a.png')).toEqual({
      document: {
        format: 'image',
        image: { type: 'image/png', width: 640, height: 480 },
        text: 'image/png, 640 × 480 pixels\nDescription: A cat',
      },
    });
    expect(await textIn(makePng(400_000_000, 400_000_000), 'huge.png')).toContain('400000000 × 400000000');
  });
});

describe('a broken document says what is wrong with it', () => {
  const cases: [string, Uint8Array, string, RegExp][] = [
    ['it is empty', Buffer.alloc(0), 'a.pdf', /empty/],
    ['it is cut off', makeDocx(['x'.repeat(1000)]).subarray(0, 300), 'a.docx', /cut off or damaged/],
    ['a PDF is cut off at once', Buffer.from('%PDF-1.7\n'), 'a.pdf', /cut off or damaged/],
    [
      'it is another thing than its name says',
      Buffer.from([1, 2, 0, 200]),
      'a.xlsx',
      /not of the kind that its name says/,
    ],
    ['it is an archive', makeZip({ 'a.txt': 'x' }), 'a.docx', /an archive/],
    ['a part is missing', makeZip({ 'META-INF/container.xml': '<x/>' }), 'a.epub', /damaged/],
    [
      'it is old',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('WordDocument', 'utf16le')]),
      'a.doc',
      /old format of Office/,
    ],
    [
      'it is encrypted',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      'a.docx',
      /needs a password/,
    ],
    ['a picture is cut off', makePng(1, 1).subarray(0, 18), 'a.png', /cut off or damaged/],
    ['an e-mail has no header', Buffer.from('\0\0\0'), 'a.eml', /no header/],
    [
      'it unpacks to far more than it is',
      makeZip({ 'word/document.xml': Buffer.alloc(120_000_000, 32) }),
      'bomb.docx',
      /unpacks to more than 96 MB, although it has only \d{6} bytes/,
    ],
  ];
  it.each(cases)('when %s', async (_, bytes, name, problem) => {
    expect(await problemIn(bytes, name)).toMatch(problem);
  });

  it('and entities that it defines are not expanded', async () => {
    const bomb =
      '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>';
    const answer = await reply(makeDocx([], wordDocument(['&c;'], bomb)), 'a.docx');
    expect(JSON.stringify(answer)).not.toContain('lollol');
  });
});

describe('the process that reads documents', () => {
  const { path, origin } = findLauncher(nativeFolder);
  const signal = new AbortController().signal;

  it.skipIf(origin === 'none')('has the libraries and the document, and is ended when it needs too much', async () => {
    const reading = { launcher: path, signal };
    expect(await readDocument(makePdf(['Hello']), { name: 'a.pdf' }, reading)).toMatchObject({
      document: { text: '[page 1]\nHello' },
    });
    const large = Buffer.from('some,cells\n'.repeat(800_000));
    const limits = { ms: 60_000, megabytes: 64 };
    expect(await readDocument(large, { name: 'a.csv' }, { ...reading, limits })).toMatchObject({
      problem: 'reading it needs more than 64 MB of memory',
    });
    expect(
      await readDocument(large, { name: 'a.csv' }, { ...reading, limits: { ms: 1, megabytes: 512 } }),
    ).toMatchObject({
      problem: 'reading it takes longer than 0.001 s',
    });
  });

  it.skipIf(origin === 'none')('reads nothing else, writes nothing and has no network', async () => {
    const { desk } = ground();
    put(desk, 'secret.txt', 'secret');
    const rights = rightsToRead([], { ms: 10_000, megabytes: 512 });
    const tryOut = async (code: string, sandbox?: SandboxLaunch): Promise<number | null> => {
      const options = {
        cwd: desk,
        env: {},
        signal,
        timeoutMs: 10_000,
        outputLimitBytes: 1000,
        ...(sandbox ? { sandbox } : {}),
      };
      return (await launch({ argv: [process.execPath, '-e', code] }, options)).exit;
    };
    for (const code of [
      "fs.readFileSync('secret.txt')",
      "fs.writeFileSync('new.txt', '')",
      "net.createServer().listen(0, '127.0.0.1', () => process.exit(0)); setTimeout(() => process.exit(1), 2000)",
    ]) {
      expect(await tryOut(code), code).toBe(0);
      expect(await tryOut(code, { launcher: path, rights }), code).not.toBe(0);
    }
  });

  it('works without a launcher, too', async () => {
    expect(await readDocument(makeDocx(['Hello']), { name: 'a.docx' }, { launcher: null, signal })).toMatchObject({
      document: { text: 'Hello' },
    });
  });
});

describe('files.read', () => {
  const { desk, artifacts } = ground();
  const [read] = filesTools({
    desk,
    artifacts,
    readDocument: (bytes, request) => replyTo(new Uint8Array(bytes), request),
  });
  const call = (input: Json): ReturnType<typeof use> => use(read, input);

  it('gives the text of a document, and its bytes when the source is asked for', async () => {
    writeFileSync(join(desk, 'a.pdf'), makePdf(['One', 'Two']));
    expect(await call({ path: 'a.pdf', pages: '2' })).toMatchObject({
      output: { content: '[page 2]\nTwo', binary: false, document: { format: 'pdf', pages: 2 } },
    });
    put(desk, 'page.html', '<h2>Head</h2>');
    expect(await call({ path: 'page.html' })).toMatchObject({ output: { content: '## Head' } });
    expect(await call({ path: 'page.html', source: true })).toMatchObject({ output: { content: '<h2>Head</h2>' } });
  });

  it('stores a picture as an artifact, unless it is too large to be shown', async () => {
    writeFileSync(join(desk, 'cat.png'), makePng(20, 10));
    expect(await call({ path: 'cat.png' })).toMatchObject({
      artifacts: [{ media: 'image/png' }],
      output: { document: { image: { width: 20, artifact: { media: 'image/png' } } } },
    });
    writeFileSync(join(desk, 'huge.png'), makePng(90_000, 10));
    expect(JSON.stringify(await call({ path: 'huge.png' }))).not.toContain('artifact');
  });

  it('leaves plain text, CSV and archives as they are', async () => {
    put(desk, 'a.csv', 'a,b\n');
    put(desk, 'notes.pdf', 'only text');
    writeFileSync(join(desk, 'a.zip'), makeZip({ 'a.txt': 'x' }));
    expect(await call({ path: 'a.csv' })).toMatchObject({ output: { content: 'a,b\n' } });
    expect(await call({ path: 'a.csv', range: 'A1' })).toMatchObject({ output: { content: '## a.csv\n\n| a |' } });
    expect(await call({ path: 'notes.pdf' })).toMatchObject({ output: { content: 'only text' } });
    expect(await call({ path: 'a.zip' })).toMatchObject({ output: { binary: true } });
  });

  it('fails with the reason and what to do', async () => {
    writeFileSync(join(desk, 'cut.docx'), makeDocx(['x']).subarray(0, 100));
    expect(errorOf(await call({ path: 'cut.docx' }))).toBe(
      'cut.docx cannot be read: it is cut off or damaged: its zip archive cannot be unpacked. Fetch or save it again.',
    );
  });
});

it('a document is recognised by its bytes, not by its name', () => {
  expect(recogniseDocument(makePdf(['x']), 'letter.txt')).toMatchObject({ kind: { format: 'pdf' } });
  expect(recogniseDocument(Buffer.from('hello'), 'letter.pdf')).toBeNull();
  expect(recogniseDocument(Buffer.from('<html><body>'), 'noname')).toMatchObject({ kind: { format: 'html' } });
});
