import { describe, expect, it } from 'vitest';
import { composeMail, messageIdOf } from '../../../../src/rooms/channels/mail/compose-mail.ts';
import { splitReply } from '../../../../src/kit/mail/reply-text.ts';
import { MailChannel } from '../../../../src/rooms/channels/mail/mail-settings.ts';
import type { ChannelMessage, ChannelQuestion } from '../../../../src/core/schema/channel-port.ts';

const server = { host: 'mail.home.test', port: 465 };
const SETTINGS = MailChannel.parse({ kind: 'mail', from: 'oka@home.test', to: ['ann@home.test'], smtp: server });
const MESSAGE: ChannelMessage = {
  delivery: 'mail.7',
  attempt: 1,
  kind: 'done',
  title: 'Totals',
  body: '# Totals\n\n**✅ Done.**\n\n## Answer\n\nIt is 42.\n\n## Files\n\n- [totals.csv](../../desk/totals.csv)',
  link: null,
  thread: 'totals-1',
  run: 'totals-1',
  urgency: 'normal',
  files: [],
  origin: null,
  replaces: null,
};
const TOKEN = 'mail.7~t~0123456789abcdef';
const QUESTION: ChannelQuestion = {
  ...MESSAGE,
  body: 'Which month?',
  wait: 'totals-1.ask',
  buttons: [{ label: 'May', token: 'mail.7~0~0123456789abcdef', verdict: 'answered' }],
  textToken: TOKEN,
  expires: null,
};

describe('a message as a mail', () => {
  it('has the answer first, in plain text and in HTML, and says that a program wrote it', () => {
    const mail = composeMail(MESSAGE, SETTINGS);
    expect(mail.text).toBe('It is 42.\n\n**✅ Done.**\n\n## Files\n\n- totals.csv\n');
    expect(mail.html).toContain('<p>It is 42.</p>');
    expect(mail.headers).toMatchObject({ 'Auto-Submitted': 'auto-generated' });
    expect(mail.to).toEqual(['ann@home.test']);
  });

  it('shows what a result contains as text, whatever it is', () => {
    const { html } = composeMail(
      { ...MESSAGE, body: '<img src=x onerror=alert(1)>\n\n```html\n<b>&amp;</b>\n```' },
      SETTINGS,
    );
    expect(html).toContain('&lt;img src=x');
    expect(html).toContain('<pre>&lt;b&gt;&amp;amp;&lt;/b&gt;</pre>');
  });

  it('has one line as its subject, so that nobody adds a field to its header', () => {
    expect(composeMail({ ...MESSAGE, title: 'Totals\r\nBcc: eve@evil.test' }, SETTINGS).subject).toBe(
      'Totals Bcc: eve@evil.test',
    );
  });

  it('is a reply to the mail that brought the task, and goes to whoever sent that', () => {
    const origin = {
      from: 'bob@home.test',
      thread: { subject: 'Sums', message: '<1@home.test>', references: ['<0@home.test>'] },
    };
    expect(composeMail({ ...MESSAGE, origin }, SETTINGS)).toMatchObject({
      to: ['bob@home.test'],
      subject: 'Re: Sums',
      inReplyTo: '<1@home.test>',
      references: ['<0@home.test>', '<1@home.test>'],
      headers: { 'Auto-Submitted': 'auto-replied' },
    });
  });

  it('has the same id when it is sent again, and refers to the one that it replaces', () => {
    expect(composeMail(MESSAGE, SETTINGS).messageId).toBe(composeMail(MESSAGE, SETTINGS).messageId);
    const later = composeMail(
      { ...MESSAGE, delivery: 'mail.8', replaces: { delivery: 'mail.7', ref: null, isSettled: true } },
      SETTINGS,
    );
    expect(later.inReplyTo).toBe(messageIdOf('mail.7', 'oka@home.test'));
  });

  it('has the files that are small enough attached, and names the others', () => {
    const files = [
      { name: 'huge.zip', bytes: 9_000_000, read: () => null },
      { name: 'totals.csv', bytes: 100, read: () => null },
    ];
    const mail = composeMail({ ...MESSAGE, files }, SETTINGS);
    expect(mail.attachments.map(({ name }) => name)).toEqual(['totals.csv']);
    expect(mail.text).toContain('Not attached: huge.zip');
  });

  it('says its title alone where there is no content', () => {
    expect(composeMail({ ...MESSAGE, body: '' }, SETTINGS).text).toBe('Totals\n');
  });
});

describe('a question as a mail', () => {
  it('carries its token in the address for replies, or in the subject', () => {
    expect(composeMail(QUESTION, SETTINGS)).toMatchObject({ replyTo: `oka+${TOKEN}@home.test`, subject: 'Totals' });
    const settings = { ...SETTINGS, reply_token: 'subject', reply_to: 'ask@home.test' } as const;
    expect(composeMail(QUESTION, settings)).toMatchObject({
      replyTo: 'ask@home.test',
      subject: `Totals [oka ${TOKEN}]`,
    });
  });

  it('quoted in a reply adds nothing to the answer', () => {
    const { text } = composeMail(QUESTION, SETTINGS);
    expect(text).toContain('May');
    expect(splitReply(`June\n\n${text}`).own).toBe('June');
    expect(splitReply(`June\n\n${text.replaceAll(/^/gm, '> ')}`).own).toBe('June');
  });
});
