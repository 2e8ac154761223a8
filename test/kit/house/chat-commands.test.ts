import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withHost } from '../../../src/kit/house/host.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { oka, okaWith, type Ran, temporaryFolder } from '../../support/cli.ts';

const ID = /^[0-9a-z]{12}$/;

async function withWorker<T>(dir: string, work: () => Promise<T>): Promise<T> {
  return withHost(homeAt(dir), new AbortController().signal, work);
}

describe('oka chat without a worker', () => {
  it('changes conversations itself, and prints the id of a message that is on disk and is answered later', async () => {
    using folder = temporaryFolder();
    const chat = (...words: string[]): Promise<Ran> => oka('chat', ...words, '--dir', folder.dir);
    await oka('init', '--dir', folder.dir);
    expect((await chat()).out).toContain('No conversations yet.');
    const begun = await chat('new', 'trip');
    expect(begun).toMatchObject({ code: 0, out: 'trip\n', err: '' });
    const listed = await chat();
    expect(listed.err).toBe('');
    expect(listed.out).toMatch(/^trip +active +nobody yet +0 messages/);
    expect(await chat('new', 'trip')).toMatchObject({ code: 2 });
    const sent = await chat('send', 'trip', 'where do we stay?');
    const id = sent.out.trimEnd();
    expect(id).toMatch(ID);
    expect(sent.err).toContain('No worker is running');
    expect(readdirSync(join(folder.dir, '.oka', 'intake'))).toHaveLength(1);
    const seen = await chat('view', 'trip');
    expect(seen.err).toBe('1 message waits for a worker: oka up\n');
    expect(seen.out).toMatch(new RegExp(`^${id}\\|\\d{4}-.*Z\\|user\\|where do we stay\\?\n$`));
    expect((await chat()).out).toMatch(/^trip +active +nobody yet +1 message /);
    expect((await chat('pin', 'trip', id)).out).toContain(`Message ${id} of trip stays`);
    expect(readdirSync(join(folder.dir, '.oka', 'intake'))).toEqual([]); // what was asked for before it is done, too
    expect((await chat('view', 'trip', '--pinned')).out).toContain('|user|where do we stay?');
    expect(await chat('send', 'tripp', 'x')).toMatchObject({ code: 2 });
    expect((await chat('send', 'tripp', 'x')).err).toContain('did you mean "trip"?');
    await withWorker(folder.dir, async () => {
      await expect.poll(async () => (await chat('view', 'trip')).err, { timeout: 60_000 }).toBe('');
      expect((await chat('view', 'trip')).out.match(new RegExp(`^${id}\\|`, 'gm'))).toHaveLength(1);
      expect((await chat('view', 'trip', '--pinned')).out).toContain('|user|where do we stay?');
    });
  });
});

describe('oka chat with a worker', () => {
  it('every command does what it says, and readers see it at once', async () => {
    using folder = temporaryFolder();
    const chat = (...words: string[]): Promise<Ran> => oka('chat', ...words, '--dir', folder.dir);
    const names = async (): Promise<string[]> =>
      (JSON.parse((await chat('--json')).out) as { conversations: { name: string }[] }).conversations.map(
        ({ name }) => name,
      );
    await oka('init', '--dir', folder.dir);
    await withWorker(folder.dir, async () => {
      expect(await chat('new', 'trip')).toMatchObject({ code: 0, out: 'trip\n', err: '' });
      expect(await chat('new', 'trip')).toMatchObject({ code: 2 });
      expect((await chat('pause', 'tr*')).out).toBe('Paused trip.\n');
      const first = (await okaWith({ input: 'one\ntwo \\ three\n' }, 'chat', 'send', 'trip', '-', '--dir', folder.dir))
        .out;
      const second = (await chat('send', 'trip', 'the hotel in Graz')).out.trim();
      await expect.poll(async () => (await chat('view', 'trip')).out, { timeout: 60_000 }).toContain(second);
      const lines = (await chat('view', 'trip')).out.split('\n').filter((line) => line.includes('|user|'));
      expect(lines).toEqual([
        expect.stringMatching(/^[0-9a-z]{12}\|\d{4}-.*Z\|user\|one\\ntwo \\\\ three$/),
        expect.stringMatching(/\|user\|the hotel in Graz$/),
      ]);
      const since = await chat('view', 'trip', '--since', first.trim(), '--json');
      const rows = since.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      expect(rows).toContainEqual({
        id: second,
        at: expect.any(String),
        from: 'user',
        content: 'the hotel in Graz',
        depth: 0,
        run: null,
      });
      expect(JSON.stringify(rows)).not.toContain('three');
      expect((await chat('view', 'trip', '--limit', '1')).out.trim().split('\n')).toHaveLength(1);
      expect((await chat('search', 'HOTEL')).out).toContain('the hotel in Graz');
      expect((await chat()).out).toMatch(/trip +paused/);
      expect((await chat('rename', 'trip', 'graz')).out).toBe('trip is now called graz.\n');
      await chat('fork', 'graz', 'train', '--at', first.trim());
      expect((await chat('view', 'train')).out).not.toContain('hotel');
      await chat('pin', 'graz');
      expect(await names()).toEqual(['graz', 'train']);
      await chat('unpin', 'graz');
      expect((await chat('clear', 'graz', '--yes')).out).toBe('Removed all messages of graz.\n');
      expect((await chat('view', 'graz')).out).toBe('');
      expect((await chat('cleanup', '--dry-run')).out).toBe(
        'Nothing has expired.\nKept, although it is empty: graz, since a reply is still to come.\n',
      );
      expect(await chat('delete', 'graz')).toMatchObject({ code: 2 });
      const asked = await okaWith({ answers: ['no'] }, 'chat', 'delete', 'graz', '--dir', folder.dir);
      expect(asked).toMatchObject({ code: 1 });
      expect((await chat('delete', 'gr?z', 'train', '--yes')).out).toBe('Deleted graz, train.\n');
      expect(await names()).toEqual([]);
      expect((await chat('pause', '--all')).out).toContain('There are no conversations');
    });
  });

  it('messages expire, replies are stopped, and all conversations are paused and resumed at once', async () => {
    using folder = temporaryFolder();
    const chat = (...words: string[]): Promise<Ran> => oka('chat', ...words, '--dir', folder.dir);
    await oka('init', '--dir', folder.dir);
    await withWorker(folder.dir, async () => {
      for (const name of ['trip', 'home']) await chat('new', name);
      expect((await chat('pause', '--all')).out).toBe('Paused home, trip.\n');
      await chat('send', 'trip', 'hello');
      await expect.poll(async () => (await chat('view', 'trip')).out, { timeout: 60_000 }).toContain('oka joined');
      expect((await chat('stop', 'trip')).out).toBe('Stopped the replies in trip.\n');
      expect((await chat('resume', '--all')).out).toBe('Resumed trip, home.\n');
      expect(await chat('open', 'trip')).toMatchObject({ code: 0, out: '' });
      expect((await chat('ttl', 'trip', '1s')).code).toBe(0);
      const hello = (await chat('view', 'trip')).out.slice(0, 12);
      expect((await chat('pin', 'trip', '0000000000a1')).err).toContain('there is no message "0000000000a1"');
      await chat('pin', 'trip', hello);
      const kept = 'Kept, although it is empty: home, since it began less than an hour ago.\n';
      const would = `This would be removed:\ntrip: 1 expired message\n${kept}`;
      await expect.poll(async () => (await chat('cleanup', '--dry-run')).out, { timeout: 60_000 }).toBe(would);
      expect((await chat('cleanup')).out).toBe(`Removed:\ntrip: 1 expired message\n${kept}`);
      expect((await chat('view', 'trip')).out).toMatch(new RegExp(`^${hello}\\|.*hello\n$`));
      expect((await chat('cleanup')).out).toBe(`Nothing has expired.\n${kept}`);
      await chat('unpin', 'trip', hello);
      expect((await chat('cleanup')).out).toBe(`Removed:\ntrip: 1 expired message, the conversation itself\n${kept}`);
      expect((await chat()).out).not.toContain('trip');
    });
  });
});
