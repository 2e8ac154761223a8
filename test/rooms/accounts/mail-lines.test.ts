import { describe, expect, it } from 'vitest';
import { addressText, attachmentsIn, dateText } from '../../../src/rooms/accounts/mail/mail-lines.ts';
import { mailName, parseMailName } from '../../../src/rooms/accounts/mail/mail-name.ts';

describe('a mail in a list', () => {
  it('shows the address beside every name, in one line, without characters that are not seen', () => {
    expect(addressText([{ name: 'ann@home.test\r\nBcc: x', address: 'eve@evil.test' }, { address: 'b@x.test' }])).toBe(
      'ann@home.test Bcc: x <eve@evil.test>, b@x.test',
    );
    expect(addressText([{ name: 'A\u202Ennob', address: 'a@x.test' }])).toBe('A nnob <a@x.test>');
    expect(addressText(Array.from({ length: 500 }, () => ({ address: 'a@x.test' })))).toMatch(/, and 480 more$/);
  });

  it('has as attachments what is no text of its own, under a name each', () => {
    const structure = {
      type: 'multipart/mixed',
      childNodes: [
        {
          type: 'multipart/alternative',
          childNodes: [
            { type: 'text/plain', part: '1.1' },
            { type: 'text/html', part: '1.2' },
          ],
        },
        { type: 'image/png', part: '2', id: '<logo>' },
        { type: 'application/pdf', part: '3', size: 9, dispositionParameters: { filename: 'a\r\nb.pdf' } },
        { type: 'message/rfc822', part: '4', envelope: { subject: 'Old' }, childNodes: [{ type: 'text/plain' }] },
        { type: 'text/calendar', part: '5' },
        { type: 'text/plain', part: '6', disposition: 'attachment' },
      ],
    };
    expect(attachmentsIn(structure).map(({ name, part }) => [part, name])).toEqual([
      ['3', 'a b.pdf'],
      ['4', 'Old.eml'],
      ['5', 'part-5.ics'],
      ['6', 'part-6'],
    ]);
  });

  it('has a name that leads back to it, also from a folder with slashes, and no other words are one', () => {
    const mail = { account: 'work', validity: '17', uid: 4, folder: 'a/b c/1.2/d' };
    expect(parseMailName(mailName(mail))).toEqual(mail);
    for (const words of ['', 'work', 'work/1/INBOX', 'work/1.x/INBOX', 'work/1.2/', '../1.2/x'])
      expect(parseMailName(words)).toBeNull();
  });

  it('has no date rather than a wrong one', () => {
    expect(dateText('no date')).toBe('');
    expect(dateText(undefined)).toBe('');
  });
});
