import { expect, it } from 'vitest';
import { parseMail } from '../../../src/kit/mail/parse-mail.ts';

const mailOf = (parts: number, boundary = 'b1'): Buffer =>
  Buffer.from(
    `From: a@example.org\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n${`--${boundary}\r\nContent-Type: text/plain\r\n\r\nx\r\n`.repeat(parts)}--${boundary}--\r\n`,
  );

it('a mail of ordinary parts is read, also with lines that look like parts', async () => {
  expect((await parseMail(mailOf(3)))?.text).toContain('x');
  const lines = Buffer.from(`From: a@example.org\r\n\r\n${'-- a list\r\n'.repeat(5000)}`);
  expect((await parseMail(lines))?.text).toContain('a list');
});

it('a mail of very many parts is not taken apart', async () => {
  expect(await parseMail(mailOf(300_000))).toBeNull();
  expect(await parseMail(mailOf(2000, 'a boundary that is long, with spaces'))).toBeNull();
});
