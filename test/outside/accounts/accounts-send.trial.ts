/** Drafts and sent mail against a real Dovecot and a real SMTP server: what receivers get, once, and what nobody gets. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountAt, type TriedAccounts, tryAccounts } from '../../support/accounts.ts';
import { okaWith } from '../../support/cli.ts';
import { hasDovecot, type MailServers, openMailServers } from '../../support/mail-servers.ts';
import { rawMail } from '../../support/raw-mail.ts';
import { openStory, type Story } from '../../support/story.ts';
import { goal, inParts, plan } from '../../support/story-model.ts';
import { call, type WireReply, type WireRequest } from '../../support/wire-server-reply.ts';

if (hasDovecot === null)
  console.error('SKIPPED: sending from accounts; there is no Dovecot (apt-get install dovecot-imapd)');

type Drafted = { draft: string; sha256: string; to: string[]; subject: string };

describe.skipIf(hasDovecot === null)('a mail of an account', () => {
  let servers: MailServers;
  let tried: TriedAccounts;
  beforeAll(async () => {
    servers = await openMailServers({ own: [] });
    servers.deliver(
      rawMail({
        top: [],
        from: 'Bob <bob@x.test>',
        to: 'ann@home.test, carl@x.test',
        subject: 'Garden',
        text: 'Which bulbs?',
        fields: ['References: <t0@x.test>'],
      }),
    );
    tried = tryAccounts({ work: accountAt(servers) }, servers.password);
  }, 120_000);
  afterAll(async () => {
    tried?.[Symbol.dispose]();
    await servers?.[Symbol.asyncDispose]();
  });
  const draft = (input: object): Promise<Drafted> => tried.ask<Drafted>('mail.draft', { text: 'Tulips.', ...input });
  const preview = ({ to, draft: name, sha256 }: Drafted) =>
    tried.tool('mail.send').preview?.({ to, draft: name, sha256 }, AbortSignal.timeout(60_000));

  it('is a draft in the folder of drafts, in its conversation, to everybody but the person', async () => {
    const { mails } = await tried.ask<{ mails: { mail: string }[] }>('mail.search', { folder: 'inbox' });
    const made = await draft({ reply: mails[0]?.mail, all: true });
    expect(made).toMatchObject({ to: ['bob@x.test', 'carl@x.test'], subject: 'Re: Garden' });
    const [stored] = servers.mails('Drafts');
    expect(stored?.flags).toContain('D');
    const answered = /^Message-ID: (.*?)\r?$/m.exec(servers.mails()[0]?.raw ?? '')?.[1];
    expect(stored?.raw).toMatch(new RegExp(`^In-Reply-To: ${answered}\r?$`, 'm'));
    expect(stored?.raw.replaceAll(/\r?\n\s+/g, ' ')).toContain(`References: <t0@x.test> ${answered}`);
    expect(stored?.raw).toContain('> Which bulbs?');
    expect(servers.sent).toEqual([]);
  });

  it('shows whom it goes to first, marks whom the person has never written to, and all of its text', async () => {
    servers.deliver(rawMail({ top: [], from: 'ann@home.test', to: 'bob@x.test', subject: 'Before' }), 'Sent');
    const shown = await preview(await draft({ to: ['bob@x.test'], cc: ['eve@evil.test'], subject: 'Bulbs' }));
    expect(shown?.changes.slice(0, 4)).toEqual([
      'To: bob@x.test',
      'Copy to: eve@evil.test (never written to before)',
      'From: ann@home.test',
      'Subject: Bulbs',
    ]);
    expect(shown?.contents[0]?.text).toBe('Tulips.');
    const alike = await preview(await draft({ to: ['ob@x.test'], subject: 'Bulbs' }));
    expect(alike?.changes[0]).toBe('To: ob@x.test (never written to before)');
    const parts = await preview(await draft({ to: ['bob@x.test'], subject: 'Long', text: 'x'.repeat(20_000) }));
    expect(parts?.contents.map(({ text }) => text).join('')).toBe('x'.repeat(20_000));
    const long = await draft({ to: ['bob@x.test'], subject: 'Too long', text: 'x'.repeat(50_000) });
    await expect(preview(long)).rejects.toThrow('too many to be shown whole');
  });

  it('that says more than a question can show is not sent: another form, hidden receivers, two lists of them', async () => {
    for (const field of ['Content-Type: text/html', 'Bcc: eve@evil.test', 'To: eve@evil.test']) {
      const id = `<${createHash('sha256').update(field).digest('hex')}@home.test>`;
      const type = field.startsWith('Content-Type') ? [] : ['Content-Type: text/plain'];
      const fields = [`Message-ID: ${id}`, 'From: ann@home.test', 'To: bob@x.test', 'Subject: Bulbs', ...type, field];
      const raw = [...fields, '', 'Tulips.', ''].join('\r\n');
      servers.deliver(raw, 'Drafts');
      const sha256 = createHash('sha256').update(raw).digest('hex');
      const asked = { to: ['bob@x.test'], draft: `work/${id}`, sha256 };
      await expect(preview({ subject: '', ...asked })).rejects.toThrow('cannot be shown whole');
      await expect(tried.ask('mail.send', asked)).rejects.toThrow('cannot be shown whole');
    }
    expect(servers.sent).toEqual([]);
  });

  it('goes to everybody whom the server takes, and oka says whom it refuses', async () => {
    const { subject: _, ...asked } = await draft({ to: ['bob@x.test', 'no@refused.test'], subject: 'Two' });
    const done = await tried.ask<{ to: string[]; note: string }>('mail.send', asked);
    expect(done).toMatchObject({ to: ['bob@x.test'], note: expect.stringContaining('no@refused.test') });
    expect(servers.sent.pop()?.to).toEqual(['bob@x.test']);
  });

  it('is sent once when two calls send it at the same time', async () => {
    const { subject: _, ...asked } = await draft({ to: ['bob@x.test'], subject: 'Twice' });
    const both = await Promise.all([tried.ask('mail.send', asked), tried.ask('mail.send', asked)]);
    expect(both[0]).toEqual(both[1]);
    expect(servers.sent).toHaveLength(1);
    servers.sent.length = 0;
  });

  it('is sent byte by byte as its draft was, kept among the sent mails, and not sent again by the same call', async () => {
    const made = await draft({ to: ['bob@x.test'], subject: 'Grüße\r\nBcc: eve@evil.test', text: 'Schöne Grüße' });
    const before = servers.mails('Drafts').find(({ raw }) => raw.includes(made.draft.replace('work/', '')));
    const { subject: _, ...asked } = made;
    const first = await tried.ask('mail.send', asked);
    expect(servers.sent.at(-1)).toMatchObject({ to: ['bob@x.test'], raw: before?.raw.replaceAll('\n', '\r\n') });
    expect(servers.sent.at(-1)?.mail).toMatchObject({ subject: 'Grüße Bcc: eve@evil.test', text: 'Schöne Grüße\n' });
    expect(servers.mails('Sent').some(({ raw }) => raw === before?.raw)).toBe(true);
    expect(servers.mails('Drafts').some(({ raw, flags }) => raw === before?.raw && !flags.includes('T'))).toBe(false);
    expect(await tried.ask('mail.send', asked)).toEqual(first);
    expect(servers.sent).toHaveLength(1);
  });

  it('that was changed since, or goes to others than the call says, is neither shown nor sent', async () => {
    const made = await draft({ to: ['bob@x.test'], subject: 'Bulbs' });
    const asked = { to: made.to, draft: made.draft, sha256: made.sha256 };
    for (const wrong of [
      { ...asked, sha256: '0'.repeat(64) },
      { ...asked, to: ['eve@evil.test'] },
      { ...asked, draft: 'work/<x@y>' },
    ]) {
      await expect(preview({ subject: '', ...wrong })).rejects.toThrow();
      await expect(tried.ask('mail.send', wrong)).rejects.toThrow();
    }
    expect(servers.sent).toHaveLength(1);
    await servers.setDown(true);
    expect(await tried.outcome('mail.send', asked)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('127.0.0.1 cannot be used to send from the account work'),
    });
    await servers.setDown(false);
    expect(servers.sent).toHaveLength(1);
  });

  it('is found after a crash by its Message-ID: a draft that is there, a mail that was sent; else it is in doubt', async () => {
    const input = { to: ['bob@x.test'], subject: 'Crash', text: 'x' };
    const done = await tried.outcome('mail.draft', input, AbortSignal.timeout(60_000), 'fixed');
    if (done.status !== 'ok') throw new Error(JSON.stringify(done));
    const seen = (name: string, asked: object) =>
      tried.tool(name).witness?.({ run: 'r', call: 'fixed', input: asked as never });
    expect(await seen('mail.draft', input)).toEqual(done);
    expect(await tried.tool('mail.draft').witness?.({ run: 'r', call: 'other', input })).toMatchObject({
      status: 'failed',
    });
    const { subject: _, ...asked } = done.output as Drafted;
    expect(await seen('mail.send', asked)).toBeNull();
    await tried.ask('mail.send', asked);
    expect(await seen('mail.send', asked)).toMatchObject({ status: 'ok' });
  });
});

it.skipIf(hasDovecot === null)('a mail that has gone has gone, also where its draft cannot be removed', async () => {
  await using servers: MailServers = await openMailServers({
    own: ['ann@home.test'],
    onMail: (raw) => {
      servers.closeFolder('Drafts');
      return raw;
    },
  });
  using tried = tryAccounts({ work: accountAt(servers) }, servers.password);
  const input = { to: ['ann@home.test', 'bob@x.test'], subject: 'Gone', text: 'x' };
  const { draft, to, sha256 } = await tried.ask<Drafted>('mail.draft', input);
  const asked = { draft, to, sha256 };
  const outcome = { status: 'ok', output: { to, note: expect.stringContaining('could not be moved from drafts') } };
  expect(await tried.outcome('mail.send', asked)).toMatchObject(outcome);
  expect(await tried.tool('mail.send').witness?.({ run: 'r', call: 'c', input: asked })).toMatchObject({
    status: 'ok',
    output: { note: 'which of its receivers the server refused, if any, was not recorded' },
  });
  expect(await tried.outcome('mail.send', asked)).toMatchObject({ status: 'ok' });
  expect(servers.sent).toHaveLength(1);
});

/** Milliseconds after the yes at which the worker is killed. */
const KILLS = process.env['OKA_TEST_THOROUGH'] === '1' ? Array.from({ length: 30 }, (_, n) => n * 40) : [0, 150, 400];

describe.skipIf(hasDovecot === null)('a task that writes a mail', () => {
  const executor = ({ text }: WireRequest): WireReply => {
    const [, draft, sha256] = /draft: (work\/<[^>]+>)\nsha256: ([0-9a-f]{64})/.exec(text) ?? [];
    if (draft === undefined || sha256 === undefined)
      return call('mail_draft', { to: ['bob@x.test'], subject: 'Bulbs', text: 'Tulips.' });
    if (/^sent: <oka\./m.test(text)) return call('finish', { output: 'It was sent.' });
    return call('mail_send', { to: ['bob@x.test'], draft, sha256 });
  };
  const open = async (servers: MailServers): Promise<Story> => {
    const story = await openStory({
      model: inParts({
        planner: () => plan([goal('write', 'Write to Bob', ['mail.draft', 'mail.send'])], ['file: x.txt']),
        executor,
      }),
    });
    story.write('.oka/rules/accounts.json', JSON.stringify({ accounts: { work: accountAt(servers) } }));
    const words = ['secrets', 'set', 'MAIL_WORK', '--tool', 'accounts.work', '--host', '127.0.0.1'];
    expect((await okaWith({ input: servers.password }, ...words, '--dir', story.home.dir)).code).toBe(0);
    story.drop('bulbs.md', '---\nid: bulbs\naccept:\n  - file: x.txt\n---\nWrite to bob@x.test that I want tulips.\n');
    return story;
  };

  it.each(KILLS)(
    'sends nothing without a yes that has seen the mail, and once when the worker is killed %i ms after it',
    async (ms) => {
      await using servers = await openMailServers({ own: [] });
      await using story = await open(servers);
      const worker = story.start(['worker']);
      const asked = await story.asked('approval');
      if (asked.for.kind !== 'approval') throw new Error('it asks something else');
      expect(asked.for.asked).toMatchObject({
        tool: 'mail.send',
        changes: expect.arrayContaining(['To: bob@x.test (never written to before)']),
        contents: [{ text: 'Tulips.' }],
      });
      expect(asked.for.asked?.grant).toBeUndefined();
      expect(servers.sent).toEqual([]);
      const said = story.oka('approve', asked.wait);
      await story.until('the yes', async () => (await story.eventsOf('wait.closed'))[0]);
      await sleep(ms);
      worker.kill('SIGKILL');
      await new Promise((resolve) => worker.once('exit', resolve));
      await said;
      story.work();
      const next = await story.until('what comes next', async () => {
        const sent = (await story.eventsOf('call.ended')).find(
          ({ data }) => data.status === 'ok' && JSON.stringify(data).includes('"sent":"<oka.'),
        );
        return sent ?? (await story.waiting())[0];
      });
      // Either the folder of sent mail tells that it has gone, or a person is asked; it is never sent twice.
      expect(servers.sent.length).toBeLessThanOrEqual(1);
      if (servers.mails('Sent').length === 1) expect(next).toMatchObject({ type: 'call.ended' });
    },
    120_000,
  );
});
