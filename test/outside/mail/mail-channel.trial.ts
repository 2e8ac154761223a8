/** E-mail against a real Dovecot and a real SMTP server: sending, answers, tasks, and what must not become either. */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMailChannel } from '../../../src/rooms/channels/mail/mail-channel.ts';
import { MailChannel } from '../../../src/rooms/channels/mail/mail-settings.ts';
import type {
  Channel,
  ChannelMessage,
  ChannelQuestion,
  IncomingAnswer,
  IncomingTask,
} from '../../../src/core/schema/channel-port.ts';
import { hasDovecot, type MailServers, openMailServers } from '../../support/mail-servers.ts';
import { rawMail, SIGNED } from '../../support/raw-mail.ts';

if (hasDovecot === null)
  console.error('SKIPPED: mail against a real server; there is no Dovecot (apt-get install dovecot-imapd)');

/** All 10,000 with OKA_TEST_THOROUGH=1. */
const CROWD = process.env['OKA_TEST_THOROUGH'] === '1' ? 10_000 : 2000;

const TOKEN = 'mail.7~t~0123456789abcdef0123456789abcdef';

describe.skipIf(hasDovecot === null)('mail against real servers', () => {
  let servers: MailServers;
  let opened: Opened[] = [];
  beforeEach(async () => {
    servers = await openMailServers({ own: ['oka@home.test', 'task@home.test'] });
  });
  afterEach(async () => {
    for (const each of opened) await each.stop();
    opened = [];
    await servers[Symbol.asyncDispose]();
  });
  const marked = () => servers.mails().filter(({ flags }) => flags !== '');
  const open = (options: Options = {}): Opened => {
    const each = openChannel(servers, options);
    opened.push(each);
    return each;
  };

  it('sends over TLS with a pinned certificate, and receives what comes while it waits (IDLE)', async () => {
    const { channel, tasks, receive } = open();
    expect(await channel.announce(message(), soon())).toMatchObject({ status: 'sent' });
    expect(servers.sent[0]?.mail).toMatchObject({ subject: 'Totals', text: 'It is 42.\n\n' });
    expect(servers.sent[0]?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    void receive();
    await sleep(1500);
    servers.deliver(rawMail({ files: [{ name: 'orders.xlsx', bytes: 'PK' }] }));
    await until(() => tasks.length === 1);
    expect(tasks[0]).toMatchObject({ title: 'Totals', text: 'Add the numbers.\n', from: 'ann@home.test' });
    expect(tasks[0]?.files.map(({ name }) => name)).toEqual(['orders.xlsx']);
    await until(() => servers.mails().every(({ flags }) => flags === 'S'));
  });

  it.each(['tls', 'starttls'] as const)(
    'refuses another certificate than the pinned one (%s), before it sends anything',
    async (security) => {
      const { channel, receive } = open({ certificate: 'aa'.repeat(32), security });
      const sent = await channel.announce(message(), soon());
      expect(sent).toMatchObject({ status: 'failed', reason: expect.stringContaining('another certificate') });
      await expect(receive()).rejects.toThrow('another certificate');
      expect(servers.sent).toEqual([]);
    },
  );

  it('refuses a private certificate that is not pinned, and plain text to another machine', async () => {
    expect(await open({ certificate: null }).channel.announce(message(), soon())).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/self.signed|certificate/i),
    });
    expect(await open({ host: 'mail.home.test', security: 'none' }).channel.announce(message(), soon())).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('plain text'),
    });
  });

  it('tries the mailbox, too, when it is tested', async () => {
    expect(await open().channel.announce(message({ kind: 'test' }), soon())).toMatchObject({ status: 'sent' });
    expect(await open({ mailbox: 'Elsewhere' }).channel.announce(message({ kind: 'test' }), soon())).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('cannot be read'),
    });
  });

  it('goes through the proxy where there is one, and nowhere past it', async () => {
    await using proxy = await openProxy();
    const { channel, tasks, receive } = open({ proxy: proxy.url, host: 'mail.home.test' });
    servers.deliver(rawMail());
    void receive();
    await until(() => tasks.length === 1);
    expect(await channel.announce(message(), soon())).toMatchObject({ status: 'sent' });
    expect(new Set(proxy.asked)).toEqual(
      new Set([`mail.home.test:${servers.imapsPort}`, `mail.home.test:${servers.smtpPort}`]),
    );
    expect(proxy.logins).toEqual(new Set(['ticket:t0p/secret']));
  });

  it('gives a reply to the question that it replies to, with its own words alone', async () => {
    const { channel, answers, receive } = open();
    await channel.ask(question(), soon());
    const asked = servers.sent[0]?.mail;
    const replyTo = asked?.replyTo?.[0]?.address ?? '';
    expect(replyTo).toBe(`oka+${TOKEN}@home.test`);
    const quoted = (asked?.text ?? '')
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n');
    void receive();
    servers.deliver(
      rawMail({
        to: replyTo,
        subject: 'Re: Totals',
        text: `May.\r\n\r\nOn 1 May 2026, oka@home.test wrote:\r\n${quoted}`,
      }),
    );
    await until(() => answers.length === 1);
    expect(answers[0]).toMatchObject({ token: TOKEN, text: 'May.', from: 'ann@home.test' });
  });

  it('leaves everything else unread and in its place, though it could be a task but for one thing', async () => {
    const enemies = [
      rawMail({ top: [] }),
      rawMail({
        top: [],
        fields: [SIGNED, 'Authentication-Results: mx.evil.test; dkim=pass header.d=home.test'].slice(1),
      }),
      rawMail({ top: ['Authentication-Results: mx.home.test; dkim=fail header.d=home.test'], fields: [SIGNED] }),
      rawMail({ from: 'eve@home.test' }),
      rawMail({ from: 'ann@home.test, eve@evil.test' }),
      rawMail({ to: 'bob@home.test', fields: ['Bcc: task@home.test'] }),
      rawMail({ fields: ['Auto-Submitted: auto-replied'] }),
      rawMail({ fields: ['List-Id: <x.home.test>'] }),
      rawMail({ top: ['Return-Path: <>', SIGNED] }),
      rawMail({ fields: [`X-Huge: ${'a '.repeat(60_000)}`] }),
      rawMail({ top: [], to: `oka+${TOKEN}@home.test` }),
      rawMail({
        from: 'eve@evil.test',
        to: `oka+${TOKEN}@home.test`,
        top: ['Authentication-Results: mx.home.test; dkim=pass header.d=evil.test'],
      }),
      '\u0000\u0001 no mail at all',
      '',
    ];
    for (const each of enemies) servers.deliver(each);
    servers.deliver(rawMail({ subject: 'The good one' }));
    const { tasks, answers, receive } = open();
    void receive();
    await until(() => tasks.length === 1);
    await until(() => marked().length > 0);
    await sleep(500);
    expect(tasks.map(({ title }) => title)).toEqual(['The good one']);
    expect(answers).toEqual([]);
    expect(marked()).toHaveLength(1);
    expect(servers.mails()).toHaveLength(enemies.length + 1);
    expect(servers.sent).toEqual([]);
  });

  it('refuses an attachment that is too large with a polite mail, once, and nothing is lost', async () => {
    servers.deliver(rawMail({ subject: 'Huge', files: [{ name: 'huge.bin', bytes: Buffer.alloc(3 * 1024 * 1024) }] }));
    const { refused, tasks, receive } = open({ attachmentMb: 1 });
    void receive();
    await until(() => servers.sent.length === 1 && refused.length === 1);
    await sleep(300);
    expect(servers.sent[0]).toMatchObject({
      to: ['ann@home.test'],
      mail: { subject: 'Re: Huge', text: expect.stringContaining('larger than 1 MB') },
    });
    expect(servers.sent[0]?.raw).toMatch(/^Auto-Submitted: auto-replied\r$/m);
    expect(refused).toHaveLength(1);
    expect(tasks).toEqual([]);
    expect(servers.mails()).toHaveLength(1);
  });

  it('takes winmail.dat as a file, and a mail with a broken structure as far as it can be read', async () => {
    servers.deliver(
      rawMail({
        subject: 'Outlook',
        files: [{ name: 'winmail.dat', type: 'application/ms-tnef', bytes: 'x\u009f>"' }],
      }),
    );
    servers.deliver(
      rawMail({ subject: 'Broken', fields: ['Content-Type: multipart/mixed; boundary=never'], text: 'text' }),
    );
    servers.deliver(
      rawMail({
        subject: 'Deep',
        fields: [
          `Content-Type: multipart/mixed; boundary=b\r\n\r\n${Array.from({ length: 300 }, (_, at) => `--b\r\nContent-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join('')}`,
        ],
      }),
    );
    const { tasks, receive } = open();
    void receive();
    await until(() => tasks.length + servers.sent.length === 3);
    expect(tasks.find(({ title }) => title === 'Outlook')?.files.map(({ name }) => name)).toEqual(['winmail.dat']);
    await until(() => servers.mails().length === 3);
  });

  it('recognises a mail after a crash and under another number', async () => {
    servers.deliver(rawMail());
    const first = open();
    void first.receive();
    await until(() => first.tasks.length === 1);
    await first.stop();
    const raw = servers.mails()[0]?.raw ?? '';
    servers.renumber();
    servers.deliver(raw); // the same mail, unread and with another number: what a crash before the mark leaves
    const again = open({ known: first.tasks });
    void again.receive();
    await until(() => servers.mails().every(({ flags }) => flags === 'S'));
    expect(again.tasks).toEqual([]);
  });

  it('takes a few tasks of a sender in an hour; the others wait, unread', async () => {
    for (let count = 0; count < 5; count += 1) servers.deliver(rawMail({ subject: `Task ${count}` }));
    const { tasks, lines, receive } = open({ perHour: 3 });
    void receive();
    await until(() => tasks.length === 3 && lines.length > 0 && marked().length === 3);
    await sleep(300);
    expect(tasks).toHaveLength(3);
    expect(marked()).toHaveLength(3);
    expect(servers.mails()).toHaveLength(5);
  });

  it(`finds the one task among ${CROWD.toLocaleString('en')} other mails`, async () => {
    for (let count = 0; count < CROWD; count += 1)
      servers.deliver(
        count % 10 === 0
          ? rawMail({ from: 'news@evil.test', subject: `Spam ${count}` })
          : rawMail({ to: 'ann@home.test', top: [] }),
      );
    servers.deliver(rawMail({ subject: 'The one' }));
    const { tasks, receive } = open();
    void receive();
    await until(() => tasks.length === 1 && marked().length > 0);
    await sleep(300);
    expect(tasks.map(({ title }) => title)).toEqual(['The one']);
    expect(marked()).toHaveLength(1);
  });
});

function message(more: Partial<ChannelMessage> = {}): ChannelMessage {
  const about = { kind: 'done', title: 'Totals', body: 'It is 42.', link: null, thread: 'run/1', run: '1' } as const;
  return {
    ...about,
    delivery: 'mail.7',
    attempt: 1,
    urgency: 'normal',
    files: [],
    origin: null,
    replaces: null,
    ...more,
  };
}

const question = (): ChannelQuestion => ({
  ...message({ body: 'Which month?' }),
  wait: '1.ask',
  buttons: [],
  textToken: TOKEN,
  expires: null,
});

type Options = {
  certificate?: string | null;
  security?: 'tls' | 'starttls' | 'none';
  host?: string;
  proxy?: string;
  mailbox?: string;
  attachmentMb?: number;
  perHour?: number;
  known?: readonly IncomingTask[];
};
type Opened = {
  channel: Channel;
  answers: IncomingAnswer[];
  tasks: IncomingTask[];
  refused: string[];
  lines: string[];
  receive: () => Promise<void>;
  stop: () => Promise<void>;
};

function openChannel(servers: MailServers, options: Options): Opened {
  const { security = 'tls', certificate = servers.fingerprint, host = '127.0.0.1' } = options;
  const server = { host, user: 'oka', password: 'secret:mail', ...(certificate === null ? {} : { certificate }) };
  const settings = MailChannel.parse({
    kind: 'mail',
    from: 'oka@home.test',
    to: ['ann@home.test'],
    smtp: { ...server, port: servers.smtpPort, security: security === 'tls' ? 'starttls' : security },
    imap: {
      ...server,
      ...(options.mailbox === undefined ? {} : { mailbox: options.mailbox }),
      port: security === 'tls' ? servers.imapsPort : servers.imapPort,
      security,
    },
    tasks: {
      address: 'task@home.test',
      senders: ['ann@home.test'],
      authserv_id: 'mx.home.test',
      per_hour: options.perHour ?? 20,
      attachment_mb: options.attachmentMb ?? 20,
    },
  });
  const channel = openMailChannel(settings, {
    name: 'mail',
    reveal: () => Promise.resolve(servers.password),
    proxyFor: () => Promise.resolve(options.proxy ?? null),
    fetch: () => Promise.reject(new Error('not used')),
  });
  const [answers, tasks, refused, lines]: [IncomingAnswer[], IncomingTask[], string[], string[]] = [[], [], [], []];
  const known = new Set((options.known ?? []).map(({ message: id }) => id));
  const stopped = new AbortController();
  let done: Promise<void> = Promise.resolve();
  const inbox = {
    answer: async (each: IncomingAnswer) => (
      answers.push(each), known.add(each.message), { became: 'answer', reason: '' } as const
    ),
    task: async (each: IncomingTask) => (
      tasks.push(each), known.add(each.message), { became: 'task', reason: '' } as const
    ),
    refuse: async ({ message: id, reason }: { message: string; reason: string }) => (
      refused.push(reason), void known.add(id)
    ),
    isKnown: (id: string) => known.has(id),
    position: () => null,
    tasksSince: () => tasks.length,
    ready: () => undefined,
    log: (line: string) => void lines.push(line),
  };
  return {
    channel,
    answers,
    tasks,
    refused,
    lines,
    receive: () => {
      const receiving = channel.receive?.(inbox, stopped.signal) ?? Promise.resolve();
      done = receiving.catch(() => undefined);
      return receiving;
    },
    stop: async () => {
      stopped.abort();
      await done;
    },
  };
}

/** A proxy that speaks CONNECT, wants a login, and leads every name to this machine. */
async function openProxy(): Promise<AsyncDisposable & { url: string; asked: string[]; logins: Set<string> }> {
  const [asked, logins]: [string[], Set<string>] = [[], new Set()];
  const server = createServer().on('connect', (request, client) => {
    asked.push(request.url ?? '');
    logins.add(Buffer.from(request.headers['proxy-authorization']?.split(' ')[1] ?? '', 'base64').toString());
    const upstream = connect({ host: '127.0.0.1', port: Number(request.url?.split(':')[1]) }, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [upstream, client]) socket.on('error', () => (upstream.destroy(), client.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://ticket:t0p%2Fsecret@127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    logins,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const PATIENCE_MS = 120_000;

const soon = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS);

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > end) throw new Error('it did not come');
    await sleep(20);
  }
}
