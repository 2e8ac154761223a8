import { once } from 'node:events';
import { createServer } from 'node:http';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programFolder } from '../../src/kit/settings.ts';
import { oka, okaWith, type Ran, temporaryFolder } from '../support/cli.ts';

type Inputs = { type: string; properties: Record<string, { title?: string; examples?: unknown[] }> };
type Home = { dir: string; run: (...words: string[]) => Promise<Ran>; path: (...words: string[]) => Promise<string[]> };

async function homeWith(dir: string, rule = ''): Promise<Home> {
  await oka('init', '--dir', dir);
  const policy = join(dir, '.oka/rules/POLICY.md');
  writeFileSync(policy, readFileSync(policy, 'utf8').replace('rules: []', `rules: [${rule}]`));
  const run = (...words: string[]): Promise<Ran> => oka(...words, '--dir', dir);
  const path = async (...words: string[]): Promise<string[]> => {
    const ran = await run('graph', 'run', ...words, '--json');
    expect(ran, ran.out).toMatchObject({ code: 0 });
    return (JSON.parse(ran.out) as { path: string[] }).path;
  };
  return { dir, run, path };
}

const desk = ({ dir }: Home, file: string): string => readFileSync(join(dir, 'workspace/desk', file), 'utf8');

describe('a graph from a template', () => {
  it('is valid, whichever template it is', async () => {
    using folder = temporaryFolder();
    const { run } = await homeWith(folder.dir);
    const { templates } = JSON.parse((await run('graph', 'new', '--json')).out) as {
      templates: { template: string; title: string }[];
    };
    const names = readdirSync(join(programFolder, 'share/graphs')).map((name) => name.replace('.json', ''));
    expect(templates.map(({ template }) => template)).toEqual(names.toSorted());
    expect(names).toHaveLength(5);
    for (const name of names) {
      expect(await run('graph', 'new', name, '--as', `my-${name}`)).toMatchObject({ code: 0 });
      const validated = await run('graph', 'validate', `my-${name}`);
      expect(validated, validated.out).toMatchObject({ code: 0 });
    }
    const listed = JSON.parse((await run('graph', 'list', '--json')).out) as { graphs: { graph: string }[] };
    expect(listed.graphs.map(({ graph }) => graph)).toEqual(names.map((name) => `my-${name}`).toSorted());
    expect(await run('graph', 'new', names[0] ?? '', '--as', `my-${names[0]}`)).toMatchObject({
      code: 3,
      err: expect.stringContaining('exists already'),
    });
    expect(await run('graph', 'new', 'page-wach')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean: page-watch'),
    });
  });

  it('names every field that it reads, with a title and an example, and refuses other words before anything starts', async () => {
    using folder = temporaryFolder();
    const { run } = await homeWith(folder.dir);
    const sources = join(programFolder, 'share/graphs');
    for (const file of readdirSync(sources)) {
      const text = readFileSync(join(sources, file), 'utf8');
      const { id, inputs } = JSON.parse(text) as { id: string; inputs?: Inputs };
      const fields = Object.entries(inputs?.properties ?? {});
      const read = [...text.matchAll(/\{\{input\.(\w+)/g)].map(([, field]) => field ?? '');
      expect([file, inputs?.type, fields.map(([field]) => field).toSorted()]).toEqual([
        file,
        'object',
        [...new Set(read)].toSorted(),
      ]);
      for (const [, { title, examples }] of fields)
        expect([file, title, examples?.length]).toEqual([file, expect.stringMatching(/./), 1]);
      await run('graph', 'new', id);
      const names = fields.length === 0 ? 'is not JSON' : `It takes ${fields.map(([field]) => field).join(', ')}`;
      expect(await run('graph', 'run', id, '--input', 'Plain words')).toMatchObject({
        code: 2,
        err: expect.stringContaining(names),
      });
      if (fields.length > 0)
        expect(await run('graph', 'run', id, '--input', '"Plain words"')).toMatchObject({
          code: expect.toSatisfy((code) => code !== 0),
          err: expect.stringContaining('input'),
        });
    }
    expect((await run('runs', '--json')).out).toBe('');
  });

  it('page-watch reports a page that has changed, and nothing while it stays the same', async () => {
    let page = 'price: 10';
    const server = createServer((_, reply) => void reply.end(page)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      using folder = temporaryFolder();
      const { port } = server.address() as AddressInfo;
      const home = await homeWith(folder.dir, `{ effect: allow, tool: http.get, host: '127.0.0.1:${port}' }`);
      await home.run('graph', 'new', 'page-watch');
      const watch = ['page-watch', '--input', JSON.stringify({ url: `http://127.0.0.1:${port}/` })];
      expect(await home.path(...watch)).toEqual(['fetch', 'before', 'same', 'remember', 'report']);
      expect(await home.path(...watch)).toEqual(['fetch', 'before', 'same']);
      page = 'price: 9';
      expect(await home.path(...watch)).toEqual(['fetch', 'before', 'same', 'remember', 'report']);
      expect(desk(home, 'page-watch.md')).toMatch(/## Now\n\nprice: 9\n\n## Before\n\nprice: 10/);
    } finally {
      server.close();
    }
  });

  it('file-report and folder-digest read the desk', async () => {
    using folder = temporaryFolder();
    const home = await homeWith(folder.dir);
    mkdirSync(join(folder.dir, 'workspace/desk/letters/old'), { recursive: true });
    writeFileSync(join(folder.dir, 'workspace/desk/letters/ada.txt'), 'Dear Ada');
    writeFileSync(join(folder.dir, 'workspace/desk/letters/eve.txt'), 'Dear Eve');
    await home.run('graph', 'new', 'file-report');
    await home.run('graph', 'new', 'folder-digest');
    expect(await home.path('file-report')).toEqual(['measure', 'report']);
    expect(desk(home, 'file-report.md')).toContain('letters/ada.txt');
    expect(await home.path('folder-digest', '--input', '{"folder":"letters"}')).toEqual(['list', 'begin', 'digest']);
    expect(JSON.parse(desk(home, 'folder-digest.json'))).toMatchObject([
      { path: 'letters/ada.txt', content: 'Dear Ada' },
      { path: 'letters/eve.txt', content: 'Dear Eve' },
      null,
    ]);
  });

  it('daily-note makes one note a day, and ask-first follows the answer', async () => {
    using folder = temporaryFolder();
    const home = await homeWith(folder.dir);
    await home.run('graph', 'new', 'daily-note');
    expect(await home.path('daily-note')).toEqual(['last_day', 'made', 'note', 'remember']);
    expect(await home.path('daily-note')).toEqual(['last_day', 'made']);
    expect(readdirSync(join(folder.dir, 'workspace/desk/notes'))).toHaveLength(1);
    await home.run('graph', 'new', 'ask-first');
    const input = '{"question":"Publish?"}';
    for (const words of ['Publish?', 'Publish? '.repeat(1000)]) {
      // the second one is too long for the name of a file
      const plain = await home.run('graph', 'run', 'ask-first', '--input', words);
      expect([plain.code, plain.err]).toEqual([2, expect.stringContaining('It takes question')]);
    }
    expect((await home.run('graph', 'run', 'ask-first', '--id', 'a1', '--input', input)).code).toBe(4);
    expect((await home.run('answer', 'a1.ask.0.w0', 'not now')).code).not.toBe(0);
    expect(await home.run('answer', 'a1.ask.0.w0', ' Yes ')).toMatchObject({ code: 0 });
    expect(desk(home, 'decided.md')).toMatch(/^Publish\? Yes, on \d{4}-/);
    await home.run('graph', 'run', 'ask-first', '--id', 'a2', '--input', input);
    expect(await home.run('answer', 'a2.ask.0.w0', 'Nein')).toMatchObject({ code: 0 });
    expect(desk(home, 'decided.md')).toMatch(/^Publish\? No, on/);
  });
});

describe('oka graph delete', () => {
  it('asks, deletes the file and leaves the versions, from which it is restored', async () => {
    using folder = temporaryFolder();
    const { dir, run } = await homeWith(folder.dir);
    await run('graph', 'new', 'daily-note');
    const file = join(dir, 'workspace/graphs/daily-note.json');
    const before = readFileSync(file, 'utf8');
    expect(await run('graph', 'delete', 'daily-note')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    });
    expect(await okaWith({ answers: ['n'] }, 'graph', 'delete', 'daily-note', '--dir', dir)).toMatchObject({ code: 1 });
    expect(existsSync(file)).toBe(true);
    expect(await okaWith({ answers: ['y'] }, 'graph', 'delete', 'daily-note', '--dir', dir)).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(false);
    expect((await run('graph', 'list')).out).toContain('No graphs');
    await run('graph', 'rollback', 'daily-note');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('oka graph list', () => {
  it('names the graphs that cannot run, and why', async () => {
    using folder = temporaryFolder();
    const { dir, run } = await homeWith(folder.dir);
    mkdirSync(join(dir, 'workspace/graphs'), { recursive: true });
    writeFileSync(join(dir, 'workspace/graphs/broken.json'), '{');
    writeFileSync(join(dir, 'workspace/graphs/empty.json'), '{"id":"empty","nodes":[]}');
    expect((await run('graph', 'list')).out).toMatch(/broken +cannot run .*not JSON/);
    expect((await run('graph', 'list')).out).toMatch(/empty +cannot run/);
  });
});

describe('oka graph render', () => {
  it('draws a graph and a run of it, into a file whose ending says the format', async () => {
    using folder = temporaryFolder();
    const { dir, run } = await homeWith(folder.dir);
    await run('graph', 'new', 'daily-note');
    expect((await run('graph', 'render', 'daily-note')).out).toMatch(/^flowchart TD\n/);
    expect((await run('graph', 'render', 'daily-note', '--format', 'dot')).out).toContain('label="false"');
    await run('graph', 'run', 'daily-note', '--id', 'd1');
    await run('graph', 'run', 'daily-note', '--id', 'd2');
    const file = join(dir, 'note.svg');
    expect(await run('graph', 'render', 'daily-note', '--run', 'd2', '-o', file)).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toMatch(/id="node-made".*✓[^]*id="node-note".*–/);
    await run('graph', 'new', 'ask-first');
    expect(await run('graph', 'render', 'ask-first', '--run', 'd1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no run of the graph ask-first'),
    });
  });
});
