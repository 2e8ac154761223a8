/** The settings of the dashboard, each seen on the real command: whoever reads them must know the parts of rooms. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebConfig } from '../../src/core/schema/web.ts';
import { readAddress } from '../../src/kit/web/login/address-file.ts';
import { openAccess } from '../../src/kit/web/login/access.ts';
import { openStory, type Story } from '../support/story.ts';

const tries: Readonly<Record<string, () => Promise<void>>> = {
  port: async () => {
    const port = await freePort();
    await using story = await openStory({ config: { web: { port } } });
    expect(await startDashboard(story, ['web'])).toBe(`http://127.0.0.1:${port}/`);
  },
  address: async () => {
    const port = await freePort();
    await using story = await openStory({ config: { web: { port, address: 'https://example.org/tools/oka' } } });
    expect(await startDashboard(story, ['web'])).toBe('https://example.org/tools/oka/');
    expect(await statusOf(port, '/tools/oka/login', 'example.org')).toBe(200);
    expect(await statusOf(port, '/login', 'example.org')).toBe(404);
  },
  off: async () => {
    await using story = await openStory({ config: { web: { off: true } } });
    story.start(['up', '--no-setup']);
    await story.until('a task', async () => (await story.eventsOf('run.ended'))[0]); // the welcome, long after a dashboard
    expect(story.told.filter((line) => line.includes('Dashboard:'))).toEqual([]);
    expect(readAddress(story.home)).toBeNull();
  },
};

describe('settings of the dashboard', () => {
  it('are all tried here', () =>
    expect(Object.keys(tries).toSorted()).toEqual(Object.keys(WebConfig.unwrap().shape).toSorted()));

  for (const [name, attempt] of Object.entries(tries)) it(`web.${name} of config.json counts`, attempt);

  it('count although there is a mistake elsewhere in the file, and a mistake in them is named', async () => {
    const port = await freePort();
    await using story = await openStory({ config: { web: { port }, nonsense: 1 } });
    expect(await startDashboard(story, ['web'])).toBe(`http://127.0.0.1:${port}/`);
    writeFileSync(story.home.config, JSON.stringify({ web: { port: 'many' } }));
    const { code, err } = await story.oka('web');
    expect([code, err]).toEqual([3, expect.stringContaining('web.port')]);
  });
});

it('in a container, no link that logs somebody in is printed, where it would stay in a log', async () => {
  for (const [inside, shown] of [
    ['1', null],
    ['0', expect.stringContaining('/login#')],
  ]) {
    await using story = await openStory({ config: { web: { port: await freePort() } } });
    const server = story.start(['web', '--json'], { OKA_CONTAINER: String(inside) });
    const [line] = (await once(server.stdout?.setEncoding('utf8') as NodeJS.ReadableStream, 'data')) as [string];
    expect((JSON.parse(line) as { link: unknown }).link).toEqual(shown);
  }
});

it('a container whose port is published beyond this machine answers nobody there until there is a passphrase', async () => {
  const port = await freePort();
  await using story = await openStory({ config: { web: { port } } });
  const words = ['web', '--host', '0.0.0.0'];
  expect(await story.oka(...words)).toMatchObject({
    code: 3,
    err: expect.stringContaining('oka web passphrase') as string,
  });
  const server = story.start([...words, '--json'], { OKA_CONTAINER: '1' });
  await once(server.stdout?.setEncoding('utf8') as NodeJS.ReadableStream, 'data');
  const [here, elsewhere] = [`127.0.0.1:${port}`, '192.0.2.7:6520'];
  expect([await statusOf(port, '/login', here), await statusOf(port, '/login', elsewhere)]).toEqual([200, 421]);
  openAccess(story.home).setPassphrase('correct horse');
  expect([await statusOf(port, '/login', here), await statusOf(port, '/login', elsewhere)]).toEqual([200, 200]);
});

/** The address that the started command has written for others. */
function startDashboard(story: Story, words: readonly string[]): Promise<string> {
  story.start(words);
  return story.until('a dashboard', async () => readAddress(story.home) ?? undefined);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

async function statusOf(port: number, path: string, host: string): Promise<number | undefined> {
  const sent = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [{ statusCode?: number; resume: () => void }];
  response.resume();
  return response.statusCode;
}

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'a second dashboard that ends by %s leaves the first one its address',
  async (signal) => {
    await using story = await openStory();
    const started = async (): Promise<{ server: ChildProcess; address: string }> => {
      const server = story.start(['web', '--port', '0', '--json']);
      const [line] = (await once(server.stdout?.setEncoding('utf8') as NodeJS.ReadableStream, 'data')) as [string];
      return { server, address: (JSON.parse(line) as { address: string }).address };
    };
    const first = await started();
    const second = await started();
    expect(second.address).not.toBe(first.address);
    expect((await story.oka('web', 'link')).out).toContain(new URL(second.address).host);
    second.server.kill(signal);
    await once(second.server, 'exit');
    expect((await story.oka('web', 'link')).out).toContain(new URL(first.address).host);
    expect(await statusOf(Number(new URL(first.address).port), '/login', new URL(first.address).host)).toBe(200);
  },
);
