import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launcher, oka, temporaryFolder } from '../support/cli.ts';
import { filesWhere } from '../support/live-files.ts';
import { CTRL_C, ENTER, openTerminal, type TerminalSession } from '../support/terminal.ts';

const KEY = 'key-7f3a91c05be24d68a1';
const WRONG = 'key-wrong-0000000000001';

/** A server that lists its models and answers, for this key only. */
async function openModelServer(): Promise<{
  address: string;
  asked: string[];
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const isAllowed = request.headers.authorization === `Bearer ${KEY}`;
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ready' } }];
    const body = !isAllowed
      ? { error: { message: 'wrong key' } }
      : request.url === '/v1/models'
        ? { data: [{ id: 'small' }, { id: 'large' }] }
        : {
            id: 'x',
            object: 'chat.completion',
            created: 1,
            model: 'large',
            choices,
            usage: { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 },
          };
    request.resume().on('end', () => {
      response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  };
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked, [Symbol.asyncDispose]: close };
}

/** Nobody listens there any more. */
async function closedAddress(): Promise<string> {
  await using server = await openModelServer();
  return server.address;
}

function environment(dir: string): Record<string, string> {
  const { PATH = '' } = process.env;
  return { PATH, HOME: dir, XDG_STATE_HOME: join(dir, 'user-state'), XDG_CONFIG_HOME: join(dir, 'user-config') };
}

/** The terminal's settings are printed afterwards: `icanon` and `echo` without a minus mean that it is not raw. */
const start = (dir: string, words: string): TerminalSession =>
  openTerminal(
    `trap : INT; ${process.execPath} ${launcher} ${words} --dir ${join(dir, 'home')}; code=$?; stty -a; exit $code`,
    environment(dir),
  );

const configOf = (dir: string): { models?: object } =>
  JSON.parse(readFileSync(join(dir, 'home/.oka/rules/config.json'), 'utf8')) as { models?: object };

const expectUsable = ({ screen }: TerminalSession): void => {
  expect(screen()).toMatch(/[^-]icanon/);
  expect(screen()).toMatch(/[^-]echo /);
};

describe('setting up a model at a terminal', () => {
  it('oka up offers it before the worker starts; a wrong key is asked for again, and the right one is stored for its server', async () => {
    using folder = temporaryFolder();
    await using server = await openModelServer();
    await using terminal = start(folder.dir, 'up --alone');
    await terminal.until('Enter for later: ');
    terminal.type(`4${ENTER}`);
    await terminal.until('Address of the server');
    terminal.type(`${server.address}${ENTER}`);
    await terminal.until('Enter for none): ');
    terminal.type(`${WRONG}${ENTER}`);
    await terminal.until('does not accept this key (401)');
    expect(existsSync(join(folder.dir, 'home/.oka/credentials.age'))).toBe(false);
    expect(configOf(folder.dir).models?.['use' as never]).toBeUndefined();
    expect(terminal.screen()).not.toContain('oka watches');
    await terminal.until('l for later: ');
    terminal.type(ENTER);
    await terminal.until('Enter for none): ');
    terminal.type(`${KEY}${ENTER}`);
    await terminal.until('1  large');
    await terminal.until('go back: ');
    terminal.type(`1${ENTER}`);
    await terminal.until('It answered after');
    await terminal.until('custom:large is set');
    await terminal.until('oka watches');
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(0);
    expectUsable(terminal);
    expect(configOf(folder.dir)).toMatchObject({
      models: { use: 'custom:large', settings: { 'custom:large': { base_url: `http://${server.address}` } } },
    });
    expect(terminal.screen()).not.toContain(KEY);
    expect(filesWhere(folder.dir, (text) => text.includes(KEY))).toEqual([]);
    expect(terminal.screen()).not.toContain(WRONG);
    expect(filesWhere(folder.dir, (text) => text.includes(WRONG))).toEqual([]);
    expect(server.asked).toEqual(['/v1/models', '/v1/models', '/v1/chat/completions']);
  });

  it('Enter puts it off for good, and oka starts; oka model setup still asks', async () => {
    using folder = temporaryFolder();
    {
      await using first = start(folder.dir, 'up --alone');
      await first.until('Enter for later: ');
      first.type(ENTER);
      await first.until('at any time: oka model setup');
      await first.until('oka watches');
      first.type(CTRL_C);
      expect(await first.ended).toBe(0);
    }
    {
      await using second = start(folder.dir, 'up --alone');
      await second.until('oka watches');
      second.type(CTRL_C);
      expect(await second.ended).toBe(0);
      expect(second.screen()).not.toContain('Enter for later');
    }
    await using third = start(folder.dir, 'model setup');
    await third.until('Enter for later: ');
    third.type(CTRL_C);
    expect(await third.ended).toBe(1);
    expectUsable(third);
  });

  it('Ctrl-C in the middle stores nothing and leaves a usable terminal; a server that cannot be reached is reported', async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', join(folder.dir, 'home'));
    const before = readFileSync(join(folder.dir, 'home/.oka/rules/config.json'), 'utf8');
    const closed = await closedAddress();
    await using terminal = start(folder.dir, 'model setup');
    await terminal.until('Enter for later: ');
    terminal.type(`custom${ENTER}`);
    await terminal.until('Address of the server');
    terminal.type(`${closed}${ENTER}`);
    await terminal.until('Enter for none): ');
    terminal.type(`${KEY}${ENTER}`);
    await terminal.until(`${closed} cannot be reached: connect ECONNREFUSED`);
    await terminal.until('l for later: ');
    terminal.type(ENTER);
    await terminal.until('Address of the server');
    terminal.type(`${closed}${ENTER}`);
    await terminal.until('Enter for none): ');
    terminal.type(`${KEY}${CTRL_C}`);
    expect(await terminal.ended).toBe(1);
    expectUsable(terminal);
    expect(terminal.screen()).toContain('Nothing was changed.');
    expect(readFileSync(join(folder.dir, 'home/.oka/rules/config.json'), 'utf8')).toBe(before);
    expect(existsSync(join(folder.dir, 'home/.oka/credentials.age'))).toBe(false);
    expect(terminal.screen()).not.toContain(KEY);
    expect(filesWhere(folder.dir, (text) => text.includes(KEY))).toEqual([]);
  });
});
