import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oka as runOka, okaWith, type Ran, temporaryFolder } from '../../support/cli.ts';

const oka = (dir: string, ...words: string[]): Promise<Ran> =>
  runOka(...words.slice(0, 2), '--dir', dir, ...words.slice(2));

type Listed = { channels: { channel: string; failing_since: string | null; problem: string | null }[] };

describe('oka channels', () => {
  it('adds, lists and tests a channel, and its log and status say how it went', async () => {
    using folder = temporaryFolder();
    const { dir } = folder;
    await oka(dir, 'init');
    const target = join(dir, 'message.json');
    const none = await oka(dir, 'channels', 'list');
    expect(none.out).toContain('There are no channels');

    const code = `require('node:fs').writeFileSync(${JSON.stringify(target)}, require('node:fs').readFileSync(0))`;
    const added = await oka(dir, 'channels', 'add', 'script', '--kind', 'command', '--', process.execPath, '-e', code);
    expect(added).toMatchObject({ code: 0 });
    expect(await oka(dir, 'channels', 'add', 'script', '--kind', 'desktop')).toMatchObject({ code: 2 });
    expect(await oka(dir, 'channels', 'test', 'script')).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({
      title: 'oka: a test',
      type: 'info',
      kind: 'test',
    });

    const broken = await oka(dir, 'channels', 'add', 'broken', '--kind', 'command', '--', '/does/not/exist');
    expect(broken).toMatchObject({ code: 0 });
    expect(await oka(dir, 'channels', 'test', 'broken')).toMatchObject({ code: 1 });
    expect((await oka(dir, 'channels', 'test', 'nothing')).code).not.toBe(0);
    const listed = JSON.parse((await oka(dir, 'channels', 'list', '--json')).out) as Listed;
    expect(listed.channels.map(({ channel, failing_since }) => [channel, failing_since !== null])).toEqual([
      ['script', false],
      ['broken', true],
    ]);
    expect((await oka(dir, 'status')).out).toContain('broken');
    expect((await oka(dir, 'doctor')).out).toContain('broken has failed since');
    const log = await oka(dir, 'channels', 'log', 'script', '--json');
    expect(
      log.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { event: string }).event),
    ).toEqual(['delivery.started', 'delivery.ended']);
  });

  it('adds mail by options, and says which are missing and what to do next', async () => {
    using folder = temporaryFolder();
    const { dir } = folder;
    await oka(dir, 'init');
    const from = ['--kind', 'mail', '--from', 'oka@example.org'];
    const none = await oka(dir, 'channels', 'add', 'post', ...from);
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('also needs --to, --smtp') as string });
    const servers = ['--to', 'ann@example.org', '--smtp', 'mail.example.org:587', '--imap', 'mail.example.org'];
    const login = ['--user', 'oka', '--secret', 'MAIL'];
    const tasks = ['--tasks', 'oka@example.org', '--sender', 'ann@example.org', '--authserv', 'mail.example.org'];
    const added = await oka(dir, 'channels', 'add', 'post', ...from, ...servers, ...login, ...tasks);
    expect(added).toMatchObject({ code: 0 });
    expect(added.out).toContain('oka secrets set MAIL --tool channels.post --host mail.example.org\n');
    expect(added.out).toContain('oka channels test post');
    const file = JSON.parse(readFileSync(join(dir, '.oka/rules/channels.json'), 'utf8')) as { channels: object };
    const server = { host: 'mail.example.org', user: 'oka', password: 'secret:MAIL' };
    expect(file.channels).toEqual({
      post: {
        kind: 'mail',
        from: 'oka@example.org',
        to: ['ann@example.org'],
        smtp: { ...server, port: 587, security: 'starttls' },
        imap: { ...server, port: 993, security: 'tls' },
        tasks: { address: 'oka@example.org', senders: ['ann@example.org'], authserv_id: 'mail.example.org' },
      },
    });
    expect((await oka(dir, 'channels', 'list')).out).toContain('post  mail to ann@example.org');
    const bad = ['--to', 'a@b.org', '--smtp', 'http://mail.example.org'];
    expect(await oka(dir, 'channels', 'add', 'bad', ...from, ...bad)).toMatchObject({ code: 2 });
  });

  it('asks on a terminal for what is missing, stores the secret for this channel alone, and tests it', async () => {
    using folder = temporaryFolder();
    const { dir } = folder;
    await oka(dir, 'init');
    const env = { XDG_CONFIG_HOME: join(dir, 'config') };
    // The kind, an empty answer to a question that needs one, and no test.
    const answers = ['99', 'ntfy', '', 'https://ntfy.example.org', 'oka', 'answers', 'NTFY', '', 'tk_value', 'n'];
    const ran = await okaWith({ env, answers }, 'channels', 'add', 'phone', '--dir', dir);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out + ran.err).not.toContain('tk_value');
    const { channels } = JSON.parse(readFileSync(join(dir, '.oka/rules/channels.json'), 'utf8')) as Listed;
    expect(channels).toEqual({
      phone: {
        kind: 'ntfy',
        url: 'https://ntfy.example.org',
        topic: 'oka',
        token: 'secret:NTFY',
        answers: { topic: 'answers' },
      },
    });
    const stored = JSON.parse((await okaWith({ env }, 'secrets', 'list', '--json', '--dir', dir)).out) as object;
    expect(stored).toMatchObject({
      secrets: [{ name: 'NTFY', tools: ['channels.phone'], hosts: ['ntfy.example.org'] }],
    });
    const tried = await okaWith(
      { env, answers: ['true', ''] },
      'channels',
      'add',
      'mine',
      '--kind',
      'command',
      '--dir',
      dir,
    );
    expect(tried.out).toContain('a test message went through mine');
  });

  it('doctor names settings of mail that would never work', async () => {
    using folder = temporaryFolder();
    const { dir } = folder;
    await oka(dir, 'init');
    const smtp = { host: 'mail.example.org', port: 25, security: 'none' };
    const mail = { kind: 'mail', from: 'oka@example.org', to: ['ann@example.org'], smtp };
    writeFileSync(join(dir, '.oka/rules/channels.json'), JSON.stringify({ channels: { mail } }));
    expect((await oka(dir, 'doctor')).out).toContain('go to mail.example.org in plain text');
  });

  it('an entry that cannot be used costs only itself, and doctor names it', async () => {
    using folder = temporaryFolder();
    const { dir } = folder;
    await oka(dir, 'init');
    const channels = { odd: { kind: 'pigeon' }, here: { kind: 'desktop' } };
    writeFileSync(join(dir, '.oka/rules/channels.json'), JSON.stringify({ channels }));
    const listed = await oka(dir, 'channels', 'list');
    expect(listed.out).toContain('here  desktop');
    expect(listed.out).toContain('odd cannot be used');
    expect((await oka(dir, 'doctor')).out).toContain('odd cannot be used');
    expect(existsSync(join(dir, '.oka/state/answers.key'))).toBe(false);
  });
});
