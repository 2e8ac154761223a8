/** A dashboard in this process, and requests to it that no browser would send. */
import { request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { openAccess } from '../../src/kit/web/login/access.ts';
import type { Page } from '../../src/kit/web/page.ts';
import { startWeb, type Web, type WebOptions } from '../../src/app/web/web-server.ts';

export type Answer = { status: number; headers: Record<string, string>; text: string };

export type Asked = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
};

export type WebClient = {
  home: Home;
  web: Web;
  /** Logged in as a browser: its cookie alone, and with the key that its pages send along. */
  cookie: string;
  session: { cookie: string; 'x-oka-key': string };
  token: (rights: 'all' | 'read') => string;
  /** Exactly these headers, and a Host that is right unless one is given. */
  send: (path: string, asked?: Asked) => Promise<Answer>;
  /** As a page of ours does it. */
  get: (path: string) => Promise<Answer>;
  post: (path: string, body: unknown) => Promise<Answer>;
  origin: string;
  close: () => Promise<void>;
};

export async function openWebClient(
  options: Partial<WebOptions> & { home?: Home; pages?: readonly Page[] } = {},
): Promise<WebClient> {
  const home = options.home ?? newHome();
  const web = await startWeb({ home, host: '127.0.0.1', port: 0, address: null, log: () => undefined, ...options });
  const access = openAccess(home);
  const origin = `http://127.0.0.1:${web.port}`;
  const send = (path: string, asked: Asked = {}): Promise<Answer> => sendRequest(web.port, path, asked);
  const login = await send('/api/v1/login', {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ link: web.newLink().split('#')[1] }),
  });
  const cookie = (login.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  const session = { cookie, 'x-oka-key': /"key":"([\w-]+)"/.exec(login.text)?.[1] ?? '' };
  return {
    home,
    web,
    cookie,
    session,
    origin,
    token: (rights) => access.start('token', 'a program', rights).secret,
    send,
    get: (path) => send(path, { headers: session }),
    post: (path, body) =>
      send(path, {
        method: 'POST',
        headers: { ...session, origin, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    close: async () => {
      await web.close();
      if (options.home === undefined) rmSync(home.dir, { recursive: true, force: true });
    },
  };
}

function newHome(): Home {
  const home = homeAt(mkdtempSync(join(tmpdir(), 'oka-web-')));
  setUp(home);
  return home;
}

function sendRequest(port: number, path: string, { method = 'GET', headers = {}, body }: Asked): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
