import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCommand } from '../../../src/rooms/channels/command/command-channel.ts';
import type { ChannelMessage } from '../../../src/core/schema/channel-port.ts';
import { temporaryFolder } from '../../support/cli.ts';

const message = {
  delivery: 'x.1',
  kind: 'done',
  title: 'A "title"; $(id)',
  body: 'Text',
  link: null,
} as ChannelMessage;
const { signal } = new AbortController();
const env = { PATH: process.env['PATH'] ?? '' };
const open = (...command: string[]): ReturnType<typeof openCommand> => openCommand({ command, env, timeoutMs: 30_000 });

describe('a program as a channel', () => {
  it('gets the message as JSON on its input, and of the environment what it is given', async () => {
    using folder = temporaryFolder();
    const [input, seen] = [join(folder.dir, 'input'), join(folder.dir, 'env')];
    process.env['OKA_TEST_PRIVATE'] = 'private';
    try {
      expect(await open('sh', '-c', `cat > '${input}'; env > '${seen}'`).announce(message, signal)).toEqual({
        status: 'sent',
        ref: null,
      });
    } finally {
      delete process.env['OKA_TEST_PRIVATE'];
    }
    const about = { title: 'A "title"; $(id)', body: 'Text', type: 'success', kind: 'done', link: null, id: 'x.1' };
    expect(JSON.parse(readFileSync(input, 'utf8'))).toEqual(about);
    expect(readFileSync(seen, 'utf8')).not.toContain('private');
  });

  it('has failed when it ends badly, is not there, or does not end; one that reads nothing has not', async () => {
    expect(await open('sh', '-c', 'echo no paper >&2; exit 3').announce(message, signal)).toMatchObject({
      status: 'failed',
      reason: 'sh ended with 3: no paper',
    });
    expect(await open('/does/not/exist').announce(message, signal)).toMatchObject({
      reason: expect.stringContaining('cannot be started') as string,
    });
    const endless = openCommand({ command: ['sleep', '600'], env, timeoutMs: 100 });
    expect(await endless.announce(message, signal)).toMatchObject({ reason: 'sleep took too long' });
    const long = { ...message, body: 'x'.repeat(1_000_000) };
    expect(await open('true').announce(long, signal)).toMatchObject({ status: 'sent' });
  });
});
