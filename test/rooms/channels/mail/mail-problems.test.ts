import { describe, expect, it } from 'vitest';
import { mailProblems } from '../../../../src/rooms/channels/mail/mail-problems.ts';
import { MailChannel } from '../../../../src/rooms/channels/mail/mail-settings.ts';

const server = { host: 'mail.home.test', port: 465, user: 'oka', password: 'secret:mail' };
const problems = (more: object): string[] =>
  mailProblems(
    MailChannel.parse({ kind: 'mail', from: 'oka@home.test', to: ['ann@home.test'], smtp: server, ...more }),
  ).map(({ problem }) => problem);
const tasks = { address: 'task@home.test', senders: ['ann@home.test'], authserv_id: 'mx.home.test' };

describe('the settings of mail', () => {
  it('are in order when everything is there', () => {
    expect(problems({ imap: server, tasks })).toEqual([]);
    expect(problems({ smtp: { host: '127.0.0.1', port: 25, security: 'none' } })).toEqual([]);
  });

  it('must not send a password in plain text, nor have half a login', () => {
    expect(problems({ smtp: { ...server, security: 'none' } })).toEqual([expect.stringContaining('plain text')]);
    expect(problems({ smtp: { ...server, password: undefined } })).toEqual([expect.stringContaining('needs both')]);
  });

  it('need a mailbox and a proof for tasks', () => {
    expect(problems({ tasks })).toEqual([expect.stringContaining('no mailbox is read')]);
    expect(problems({ imap: server, tasks: { ...tasks, authserv_id: undefined } })).toEqual([
      expect.stringContaining('nothing proves'),
    ]);
    expect(problems({ imap: server, tasks: { ...tasks, senders: ['oka@home.test'] } })).toEqual([
      expect.stringContaining('oka itself'),
    ]);
  });
});
