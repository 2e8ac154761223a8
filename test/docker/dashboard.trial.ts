/** The dashboard in a container of its own: reached from this machine, and able to change nothing but what it must. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { reaching, Stage, until } from './stage.ts';

const missing = inject('missing');
if (missing !== '') it.skip(`the containers are not tried: ${missing}`, () => undefined);

type Answer = { status: number; cookie: string; text: string };

describe.skipIf(missing !== '')('dashboard', () => {
  let stage: Stage;
  let cookie = '';
  beforeAll(async () => {
    stage = new Stage();
    stage.up();
    await stage.result('welcome');
    await stage.healthy('web');
  });
  afterAll(() => stage[Symbol.dispose]());

  const port = (): number => Number(stage.env['OKA_WEB_PORT']);
  const send = (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: port(),
          path,
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            origin: `http://127.0.0.1:${port()}`,
            cookie,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              cookie: response.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
              text,
            }),
          );
        },
      );
      sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });

  it('a command makes links, each opens it once, and its log has none', async () => {
    for (const _ of [1, 2]) {
      const made = stage.within('web', 'oka', 'web', 'link').out.trim();
      expect(made).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port()}/login#`));
      const answer = await send('/api/v1/login', { link: made.split('#')[1] });
      expect(answer.status).toBe(200);
      ({ cookie } = answer);
      expect((await send('/api/v1/login', { link: made.split('#')[1] })).status).toBe(401);
      expect(stage.logs('web')).not.toContain(made.split('#')[1]);
    }
    expect(stage.logs('web')).not.toContain('/login#');
    expect(await send('/')).toMatchObject({ status: 200, text: expect.stringContaining('Welcome to oka') });
  });

  it('a sentence typed there becomes a task that the worker does or asks about', async () => {
    const text = '---\nid: typed\n---\n```bash\necho typed > typed.txt\n```\n';
    expect(await send('/api/v1/tasks', { text })).toMatchObject({ status: 201 });
    await stage.result('typed', /✅ Done/);
  });

  it('an intake reaches the worker, and its answer comes back although nothing but .oka/web can be written', async () => {
    expect(await send('/api/v1/intakes', { kind: 'cancel', run: 'no-such-run' })).toMatchObject({ status: 404 });
  });

  it('it can change nothing but requests, tasks and its own folder', () => {
    for (const path of [
      '.oka/x',
      '.oka/rules/x',
      '.oka/run_ledger.jsonl',
      '.oka/brain/x',
      'workspace/x',
      'workspace/outbox/x',
      'workspace/desk/x',
      '/app/x',
      '/keys/state/x',
    ])
      expect(
        stage.within('web', 'sh', '-c', `echo x >> ${path.startsWith('/') ? path : `/data/${path}`}`).code,
        path,
      ).not.toBe(0);
    for (const path of ['.oka/web/x', 'workspace/inbox/.x.part'])
      expect(stage.within('web', 'sh', '-c', `echo x >> /data/${path} && rm /data/${path}`).code, path).toBe(0);
  });

  it('it is published on this machine alone, and reaches neither the worker nor the proxy', () => {
    const { out } = stage.compose('port', 'web', String(port()));
    expect(out.trim()).toBe(`127.0.0.1:${port()}`);
    for (const [host, at] of [
      ['worker', 1],
      ['egress', 3128],
    ] as const)
      expect(stage.within('web', 'node', '-e', reaching(host, at)).out).toBe('');
  });

  it('the worker goes on when it is killed, and it comes back with its sessions', async () => {
    stage.compose('kill', 'web');
    stage.drop('workspace/inbox/alone.md', '---\nid: alone\n---\n```bash\ntrue\n```\n');
    await stage.result('alone', /✅ Done/);
    stage.up();
    await stage.healthy('web');
    await until('the dashboard', () => (/Dashboard/.test(stage.logs('web')) ? true : null));
    expect((await send('/')).status).toBe(200);
  });
});
