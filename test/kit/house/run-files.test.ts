import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRowsReader } from '../../../src/kit/house/open-views.ts';
import { addFileRoutes } from '../../../src/app/web/files/file-routes.ts';
import { okaWith } from '../../support/cli.ts';
import { openStory, type Story } from '../../support/story.ts';

const TASK =
  "---\nid: page\n---\n# Make a page\n\n```bash\nseq 1 20000 && echo late-secret-4711 && echo '<script>alert(1)</script>' > page.html\n```\n";

let story: Story;
let app: Hono;
let reader: ReturnType<typeof openRowsReader>;
const get = (path: string): Promise<Response> => Promise.resolve(app.request(path));

beforeAll(async () => {
  story = await openStory();
  story.drop('page.md', TASK);
  story.work();
  await story.ended('page');
  await story.rest();
  reader = openRowsReader(story.home);
  app = new Hono();
  addFileRoutes(app, { home: story.home, reader }, '/');
});
afterAll(async () => {
  await reader.close();
  await story[Symbol.asyncDispose]();
});

describe('files of a run over HTTP', () => {
  it('sends a page as HTML in a sandbox in which nothing runs and nothing is fetched', async () => {
    const answer = await get('/files/page/files/page.html');
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain('script');
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:/);
    expect(policy).not.toContain('allow-scripts');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('sends text as text, whatever is in it, and what is unknown as a download', async () => {
    const folder = join(story.home.workspace, 'outbox', 'page');
    writeFileSync(join(folder, 'notes.md'), '<script>alert(1)</script>');
    writeFileSync(join(folder, 'tool.exe'), 'MZ');
    writeFileSync(join(folder, 'ü "x\r\n.bin'), 'x');
    expect((await get('/files/page/notes.md')).headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const tool = await get('/files/page/tool.exe');
    expect(tool.headers.get('content-type')).toBe('application/octet-stream');
    expect(tool.headers.get('content-disposition')).toMatch(/^attachment; filename="tool.exe"/);
    const odd = await get(`/files/page/${encodeURIComponent('ü "x\r\n.bin')}`);
    expect(odd.headers.get('content-disposition')).toBe(
      `attachment; filename="_x_.bin"; filename*=UTF-8''%C3%BC%20%22x%0D%0A.bin`,
    );
    const asked = await get('/files/page/notes.md?download');
    expect(asked.headers.get('content-disposition')).toMatch(/^attachment/);
  });

  it('opens nothing outside the folder of the run', async () => {
    const folder = join(story.home.workspace, 'outbox', 'page');
    writeFileSync(join(story.home.workspace, 'outbox', 'secret.txt'), 'secret');
    mkdirSync(join(story.home.workspace, 'outbox', 'other'), { recursive: true });
    writeFileSync(join(story.home.workspace, 'outbox', 'other', 'a.txt'), 'secret');
    symlinkSync('../secret.txt', join(folder, 'link.txt'));
    symlinkSync('../other', join(folder, 'linked'));
    const paths = [
      'link.txt',
      'linked/a.txt',
      '../secret.txt',
      '..%2fsecret.txt',
      '%2e%2e%2fsecret.txt',
      '..%2f..%2f..%2f.oka%2fconfig.json',
      'files/..%2f..%2fsecret.txt',
      '%2fetc%2fpasswd',
      'RESULT.md%00.txt',
      '%ff',
      'files',
      '',
      './RESULT.md%2f',
    ];
    for (const path of paths) {
      const answer = await get(`/files/page/${path}`);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.text()).not.toContain('secret');
    }
    expect((await get('/files/..%2f..%2f.oka/config.json')).status).toBe(404);
  });

  it('sends an artifact only for a run that names it', async () => {
    const ended = (await story.eventsOf('call.ended')).find(({ data }) => (data.artifacts ?? []).length > 0);
    const sha256 = ended?.data.artifacts?.[0]?.sha256 ?? '';
    const answer = await get(`/artifacts/page/${sha256}`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('19999');
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox/);
    expect((await get(`/artifacts/page/${'0'.repeat(64)}`)).status).toBe(404);
    expect((await get(`/artifacts/other/${sha256}`)).status).toBe(404);
  });

  it('exports a run as one file, without a secret that the vault has learned since, and without a script', async () => {
    const before = await (await get('/api/v1/run-export?run=page&form=html')).text();
    expect(before).toContain('late-secret-4711');
    await okaWith({ input: 'late-secret-4711\n' }, 'secrets', 'set', 'LATE', '--dir', story.home.dir);
    const text = await (await get('/api/v1/run-export?run=page&form=html')).text();
    expect(text).toContain('<h1>Make a page</h1>');
    expect(text).not.toContain('late-secret-4711');
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('<script');
    const json = await get('/api/v1/run-export?run=page&form=json');
    expect(json.headers.get('content-disposition')).toMatch(/^attachment; filename="page.json"/);
    expect(JSON.parse(await json.text())).toMatchObject({ oka: 'run-export 1', run: { run: 'page', status: 'done' } });
    expect((await get('/api/v1/run-export?run=nobody')).status).toBe(404);
  });
});
