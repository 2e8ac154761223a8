/** Mails as they lie in a mailbox, for tests. */
import { randomUUID } from 'node:crypto';

export type RawMail = {
  from?: string;
  to?: string;
  subject?: string;
  text?: string;
  /** Fields above all others, as the server of the operator adds them. */
  top?: readonly string[];
  /** Fields that the sender wrote. */
  fields?: readonly string[];
  files?: readonly { name: string; type?: string; bytes: Uint8Array | string }[];
  html?: string;
};

export const SIGNED = 'Authentication-Results: mx.home.test; dkim=pass header.d=home.test';

/** A mail of Ann to the task address, which the server has verified, unless it says otherwise. */
export function rawMail({
  from = 'Ann <ann@home.test>',
  to = 'task@home.test',
  subject = 'Totals',
  text = 'Add the numbers.',
  top = [SIGNED],
  fields = [],
  files = [],
  html,
}: RawMail = {}): string {
  const head = [
    ...top,
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${new Date().toUTCString()}`,
    `Message-ID: <${randomUUID()}@home.test>`,
    ...fields,
  ];
  const body =
    html === undefined
      ? ['Content-Type: text/plain; charset=utf-8', '', text]
      : ['Content-Type: text/html; charset=utf-8', '', html];
  if (files.length === 0) return [...head, 'MIME-Version: 1.0', ...body, ''].join('\r\n');
  const parts = files.map(({ name, type = 'application/octet-stream', bytes }) =>
    [
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename="${name}"`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(bytes)
        .toString('base64')
        .replaceAll(/(.{76})/g, '$1\r\n'),
    ].join('\r\n'),
  );
  const all = [body.join('\r\n'), ...parts].map((part) => `--part\r\n${part}\r\n`).join('');
  return [...head, 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=part', '', `${all}--part--`, ''].join(
    '\r\n',
  );
}
