/** Owns: the text of an e-mail (.eml): its header, its body, and the list of what is attached. The only door to postal-mime. */
import PostalMime, { type Address } from 'postal-mime';
import { BoundedText } from './bounded-text.ts';
import { type DocumentBody, Unreadable } from './document-contract.ts';
import { readablePage } from './readable-html.ts';

export async function readMail(bytes: Uint8Array): Promise<DocumentBody> {
  const mail = await PostalMime.parse(bytes);
  if (mail.from === undefined && mail.subject === undefined && mail.date === undefined)
    throw new Unreadable('it has no header of an e-mail', 'Read it as it is in the file (source).');
  const attachments = mail.attachments.map((each) => ({
    name: each.filename ?? 'unnamed',
    type: each.mimeType,
    bytes: typeof each.content === 'string' ? each.content.length : each.content.byteLength,
  }));
  const text = new BoundedText();
  text.add(`${headerLines(mail).join('\n')}\n\n`);
  text.add(mail.text?.trim() || readablePage({ html: mail.html ?? '', url: 'about:blank' }).text);
  for (const { name, type, bytes: size } of attachments) text.add(`\n[attachment: ${name}, ${type}, ${size} bytes]`);
  return {
    ...(mail.subject === undefined ? {} : { title: mail.subject }),
    ...text.result(),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

function headerLines(mail: Awaited<ReturnType<typeof PostalMime.parse>>): string[] {
  const lines = {
    From: mail.from === undefined ? '' : describeAddress(mail.from),
    To: (mail.to ?? []).map(describeAddress).join(', '),
    Cc: (mail.cc ?? []).map(describeAddress).join(', '),
    Date: mail.date ?? '',
    Subject: mail.subject ?? '',
  };
  return Object.entries(lines).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
}

function describeAddress({ name, address }: Address): string {
  return address === undefined || address === '' ? name : name === '' ? address : `${name} <${address}>`;
}
