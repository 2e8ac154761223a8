import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { followLive } from '../../../src/kit/socket/follow-live.ts';
import { socketFile, socketKeyFile } from '../../../src/kit/socket/live-socket.ts';
import { openLiveServer } from '../../../src/rooms/live/live-server.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { LiveMessage } from '../../../src/core/schema/live.ts';
import { temporaryFolder } from '../../support/cli.ts';

const output = (text: string, step = 'a'): LiveMessage => ({ run: 'r', step, kind: 'output', text });
const patience = { timeout: 60_000 };

function follow(home: ReturnType<typeof homeAt>) {
  const stop = new AbortController();
  const messages: LiveMessage[] = [];
  const done = followLive(home, stop.signal, (message) => messages.push(message));
  return { messages, end: async () => (stop.abort(), await done) };
}

describe('the live stream', () => {
  it('reaches every reader, also one that comes late, and is for its user only', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    const server = await openLiveServer(home);
    expect([socketFile(home, 'live'), socketKeyFile(home, 'live')].map((file) => statSync(file).mode & 0o777)).toEqual([
      0o600, 0o600,
    ]);
    const readers = Array.from({ length: 60 }, () => follow(home));
    await vi.waitFor(() => expect(server.isWatched()).toBe(true), patience);
    server.publish(output('one\n'));
    const late = follow(home);
    await vi.waitFor(() => {
      const anew = { run: 'r', step: 'a', kind: 'end' };
      for (const { messages } of readers) expect([[output('one\n')], [anew, output('one\n')]]).toContainEqual(messages); // some connect only now
      expect(late.messages).toEqual([anew, output('one\n')]);
    }, patience);
    for (const reader of [...readers, late]) await reader.end();
    await vi.waitFor(() => expect(server.isWatched()).toBe(false), patience);
    await server.close();
  });

  it('begins anew for a late reader, with all that a step in progress has written; steps that ended are left out', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    const server = await openLiveServer(home);
    const words = (text: string): LiveMessage => ({ run: 'r', step: 'b', kind: 'text', text });
    const tokens: LiveMessage = { run: 'r', step: 'b', kind: 'tokens', count: 7 };
    for (const message of [output('over\n'), words('I am '), words('thinking about '), tokens]) server.publish(message);
    server.publish({ run: 'r', step: 'a', kind: 'end' });
    const anew: LiveMessage = { run: 'r', step: 'b', kind: 'end' };
    const late = follow(home);
    await vi.waitFor(() => expect(late.messages).toEqual([anew, words('I am thinking about '), tokens]), patience);
    await late.end();
    await server.close();
  });

  it('says nothing to whoever does not know the key', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    const server = await openLiveServer(home);
    for (const sent of [
      'x'.repeat(33),
      `${'x'.repeat(32)}\n`,
      `${readFileSync(socketKeyFile(home, 'live'), 'utf8')}\nmore`,
    ]) {
      const socket = connect(socketFile(home, 'live'));
      let received = '';
      socket.on('data', (chunk) => (received += chunk)).on('error', () => undefined);
      socket.write(sent);
      await once(socket, 'close');
      expect(received).toBe('');
    }
    expect(server.isWatched()).toBe(false);
    await server.close();
  });

  it('replaces a socket that a process before has left, and touches nothing else', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    mkdirSync(join(home.oka, 'state'), { recursive: true });
    const left = createServer().listen(socketFile(home, 'live'));
    await once(left, 'listening');
    const server = await openLiveServer(home);
    const reader = follow(home);
    await vi.waitFor(() => expect(server.isWatched()).toBe(true), patience);
    await reader.end();
    await server.close();
    left.close();
    writeFileSync(socketFile(home, 'live'), 'a file of somebody');
    const second = await openLiveServer(home);
    second.publish(output('nobody sees it'));
    await second.close();
    expect(readFileSync(socketFile(home, 'live'), 'utf8')).toBe('a file of somebody');
  });

  it('drops a reader that does not keep pace, without waiting for it', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    const server = await openLiveServer(home);
    const slow = connect(socketFile(home, 'live')).on('error', () => undefined);
    slow.pause();
    slow.write(`${readFileSync(socketKeyFile(home, 'live'), 'utf8')}\n`);
    const quick = follow(home);
    await vi.waitFor(() => expect(server.isWatched()).toBe(true), patience);
    await vi.waitFor(() => {
      server.publish(output('begin\n'));
      expect(quick.messages.length).toBeGreaterThan(0);
    }, patience);
    for (let round = 0; round < 2000; round += 1) {
      server.publish(output('x'.repeat(4000), `step ${round}`));
      if (round % 20 === 0) await new Promise((turn) => setImmediate(turn)); // the quick one reads
    }
    slow.resume();
    await once(slow, 'close');
    server.publish(output('end\n', 'last'));
    await vi.waitFor(() => expect(quick.messages.at(-1)).toEqual(output('end\n', 'last')), patience);
    await quick.end();
    await server.close();
  });

  it('closes while readers come, whose keys are still on their way, and while one never sends it', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    for (let round = 0; round < 20; round += 1) {
      const server = await openLiveServer(home);
      const silent = connect(socketFile(home, 'live')).on('error', () => undefined);
      await once(silent, 'connect');
      const readers = Array.from({ length: 10 }, () => follow(home));
      for (let turn = 0; turn < round; turn += 1) await new Promise((next) => setImmediate(next));
      await server.close();
      expect(existsSync(socketFile(home, 'live'))).toBe(false);
      for (const reader of readers) await reader.end();
      silent.destroy();
    }
  });

  it('drops whoever does not send the key', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    const server = await openLiveServer(home);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const silent = connect(socketFile(home, 'live'));
    const closed = once(silent.resume(), 'close');
    await once(silent, 'connect');
    for (let turns = 0; turns < 10_000 && vi.getTimerCount() === 0; turns += 1)
      await new Promise((turn) => setImmediate(turn)); // until it was accepted
    vi.runAllTimers();
    vi.useRealTimers();
    await closed;
    expect(server.isWatched()).toBe(false);
    await server.close();
  });

  it('works in a home whose path is longer than the address of a socket may be', async () => {
    using folder = temporaryFolder();
    const home = homeAt(join(folder.dir, 'deep/'.repeat(30)));
    const server = await openLiveServer(home);
    const reader = follow(home);
    await vi.waitFor(() => expect(server.isWatched()).toBe(true), patience);
    server.publish(output('hello\n'));
    await vi.waitFor(() => expect(reader.messages).toEqual([output('hello\n')]), patience);
    await reader.end();
    await server.close();
  });
});
