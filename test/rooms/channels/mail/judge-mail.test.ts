import { describe, expect, it } from 'vitest';
import { judgeMail, type MailRules } from '../../../../src/rooms/channels/mail/judge-mail.ts';
import { parseMailHeader } from '../../../../src/kit/mail/mail-header.ts';

const RULES: MailRules = {
  from: 'oka@home.test',
  replyTo: 'oka@home.test',
  answerers: ['ann@home.test'],
  authservId: 'mx.home.test',
  tasks: { address: 'task@home.test', senders: ['ann@home.test'], secret: null },
};
const SIGNED = 'Authentication-Results: mx.home.test; dkim=pass header.d=home.test';
const TASK = ['From: Ann <ann@home.test>', 'To: task@home.test', 'Subject: Totals'];
const TOKEN = 'k3v9q2m7x1c5b8n4';

const judge = (lines: readonly string[], rules: Partial<MailRules> = {}): string => {
  const verdict = judgeMail(parseMailHeader(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)) ?? [], {
    ...RULES,
    ...rules,
  });
  return verdict.kind === 'nothing'
    ? verdict.reason
    : verdict.kind === 'answer'
      ? `answer ${verdict.token}`
      : `task of ${verdict.from}`;
};

describe('a task by mail', () => {
  it('needs an allowed sender whom the server of the operator has verified', () => {
    expect(judge([SIGNED, ...TASK])).toBe('task of ann@home.test');
    expect(judge(TASK)).toBe('mx.home.test has not verified that ann@home.test signed it (DKIM)');
    expect(judge([SIGNED, 'From: eve@home.test', 'To: task@home.test'])).toBe('eve@home.test may not send tasks');
  });

  it.each([
    [
      'a field that the sender wrote, below that of the server',
      ['Authentication-Results: mx.home.test; dkim=fail header.d=home.test', SIGNED],
    ],
    ['a server of another name', ['Authentication-Results: mx.evil.test; dkim=pass header.d=home.test']],
    ['a signature of another domain', ['Authentication-Results: mx.home.test; dkim=pass header.d=evil.test']],
    [
      'a domain that only ends like the right one',
      ['Authentication-Results: mx.home.test; dkim=pass header.d=me.test'],
    ],
    [
      'a result in a comment',
      ['Authentication-Results: mx.home.test; dkim=fail (dkim=pass header.d=home.test; dkim=pass header.d=home.test)'],
    ],
    [
      'a result in a nested comment',
      ['Authentication-Results: mx.home.test; dkim=fail (a (b) ; dkim=pass header.d=home.test)'],
    ],
    [
      'a result in a quoted reason',
      ['Authentication-Results: mx.home.test; dkim=fail reason="; dkim=pass header.d=home.test"'],
    ],
    [
      'a result behind an escaped quote',
      [String.raw`Authentication-Results: mx.home.test; dkim=fail reason="\"; dkim=pass header.d=home.test"`],
    ],
    [
      'another method that passed',
      ['Authentication-Results: mx.home.test; spf=pass smtp.mailfrom=home.test; dkim=none'],
    ],
    [
      'a second domain in the result',
      ['Authentication-Results: mx.home.test; dkim=pass header.d=evil.test header.d=home.test'],
    ],
    ['no results', ['Authentication-Results: mx.home.test; none', SIGNED]],
  ])('is not proved by %s', (_, lines) => {
    expect(judge([...lines, ...TASK])).toContain('has not verified');
  });

  it('would be proved by forged fields, if any of them counted', () => {
    const forged = ['Authentication-Results: mx.home.test; dkim=fail header.d=home.test', SIGNED, ...TASK];
    expect(judge(forged)).toContain('has not verified');
    expect(judge(forged.slice(1))).toBe('task of ann@home.test'); // without the verdict of the server above it
    const inComment = ['Authentication-Results: mx.home.test; dkim=fail (; dkim=pass header.d=home.test)', ...TASK];
    expect(judge(inComment)).toContain('has not verified');
    expect(judge(inComment.map((line) => line.replaceAll(/[()]/g, '')))).toBe('task of ann@home.test');
  });

  it('counts a signature of the domain above, and one result among several', () => {
    const lines = [
      'Authentication-Results: mx.home.test 1; spf=fail; dkim = pass (2048 bit)',
      ' header.i=@home.test header.d=HOME.test; dmarc=pass',
    ];
    const rules = { tasks: { address: 'task@home.test', senders: ['ann@mail.home.test'], secret: null } };
    expect(judge([...lines, 'From: ann@mail.home.test', 'To: task@home.test'], rules)).toBe(
      'task of ann@mail.home.test',
    );
  });

  it('is also proved by the secret in the address, and by nothing that is close to it', () => {
    const rules = {
      authservId: null,
      tasks: { address: 'task@home.test', senders: ['ann@home.test'], secret: 'Tulip77' },
    };
    const to = (address: string): string => judge(['From: ann@home.test', `To: ${address}`], rules);
    expect(to('task+tulip77@home.test')).toBe('task of ann@home.test');
    expect(to('task+tulip7@home.test')).toBe('the address does not contain the secret');
    expect(to('task@home.test')).toBe('the address does not contain the secret');
    expect(
      judge(['From: ann@home.test', 'To: task@home.test'], { ...rules, tasks: { ...rules.tasks, secret: null } }),
    ).toBe('nothing proves who sent it');
  });

  it('has to be addressed to the task address by its sender', () => {
    expect(judge([SIGNED, 'Delivered-To: task@home.test', 'From: ann@home.test', 'To: bob@home.test'])).toBe(
      'it is for somebody else',
    );
    expect(judge([SIGNED, 'From: ann@home.test', 'To: bob@home.test', 'Cc: Oka <task@home.test>'])).toBe(
      'task of ann@home.test',
    );
  });

  it.each([
    [['From: ann@home.test', 'From: eve@evil.test']],
    [['From: ann@home.test, eve@evil.test']],
    [['From: undisclosed:;']],
    [['From: "ann@home.test" <eve@evil.test>']],
    [['From: ann@home.test <eve@evil.test>']],
    [[String.raw`From: "ann@home.test\" <eve@evil.test>`]],
  ])('has exactly one sender, who is allowed: %s', (lines) => {
    const forged = SIGNED.replace('header.d=home.test', 'header.d=home.test; dkim=pass header.d=evil.test');
    expect(judge([forged, ...lines, 'To: task@home.test'])).toMatch(/exactly one sender|may not send tasks/);
  });

  it.each([
    'Auto-Submitted: auto-replied',
    'Auto-Submitted: auto-generated; owner',
    'Return-Path: <>',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=x',
    'List-Id: <news.home.test>',
    'Precedence: bulk',
    'X-Autoreply: yes',
    'X-Failed-Recipients: bob@home.test',
  ])('is never mail of a program: %s', (line) => {
    expect(judge([line, SIGNED, ...TASK])).toMatch(/program|bounce|report|list|bulk|automatic/);
    expect(judge([line, SIGNED, 'From: ann@home.test', `To: oka+${TOKEN}@home.test`])).not.toMatch(/^answer/);
  });

  it('may say that no program sent it', () => {
    expect(judge(['Auto-Submitted: no', SIGNED, ...TASK])).toBe('task of ann@home.test');
  });
});

describe('an answer by mail', () => {
  it('has the token of the question in its address or subject', () => {
    expect(judge([SIGNED, 'From: ann@home.test', `To: OKA+${TOKEN.toUpperCase()}@home.test`])).toBe(`answer ${TOKEN}`);
    expect(judge([SIGNED, 'From: ann@home.test', 'To: oka@home.test', `Subject: Re: Totals [oka ${TOKEN}]`])).toBe(
      `answer ${TOKEN}`,
    );
    expect(judge([SIGNED, 'From: ann@home.test', 'To: oka@home.test', 'Subject: Re: Totals'])).toBe(
      'it is for somebody else',
    );
  });

  it('has one token', () => {
    const other = 'a1b2c3d4e5f6g7h8';
    expect(judge([SIGNED, 'From: ann@home.test', `To: oka+${TOKEN}@home.test, oka+${other}@home.test`])).toBe(
      'it is for somebody else',
    );
  });

  it('comes from somebody who got the question, which the server has verified', () => {
    expect(judge([SIGNED, 'From: eve@home.test', `To: oka+${TOKEN}@home.test`])).toBe(
      'eve@home.test may not answer questions of oka',
    );
    expect(judge(['From: ann@home.test', `To: oka+${TOKEN}@home.test`])).toContain('has not verified');
    expect(judge(['From: ann@home.test', `To: oka+${TOKEN}@home.test`], { authservId: null })).toBe(`answer ${TOKEN}`);
  });

  it('is never our own mail', () => {
    expect(judge([SIGNED, 'From: oka@home.test', `To: oka+${TOKEN}@home.test`])).toBe('oka sent it');
  });
});

describe('a header', () => {
  it('that is too large, or has too many fields, cannot be judged', () => {
    expect(parseMailHeader(Buffer.from(`X: ${'a'.repeat(70_000)}\r\n\r\n`))).toBeNull();
    expect(parseMailHeader(Buffer.from('X: a\r\n'.repeat(600)))).toBeNull();
  });

  it('ends at the first empty line, and lines that are no fields are left out', () => {
    const header = parseMailHeader(Buffer.from('A: 1\r\n 2\r\nbroken\r\n: x\r\n\u0000B: x\r\nB: 2\n\nC: 3\r\n'));
    expect(header).toEqual([
      { name: 'a', value: '1 2' },
      { name: 'b', value: '2' },
    ]);
  });
});
