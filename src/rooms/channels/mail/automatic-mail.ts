/** Owns: recognising mail that a program has sent: bounces, absence notes, lists, and our own. It never becomes a task or an answer, so that no two programs write to each other for ever. Pure. */
import { type HeaderField, headerValue, headerValues } from '../../../kit/mail/mail-header.ts';

/** Why a mail was written by a program; null for one that a person wrote. */
export function whyAutomatic(header: readonly HeaderField[]): string | null {
  const has = (name: string): boolean => headerValues(header, name).length > 0;
  const submitted = headerValues(header, 'auto-submitted').map((value) =>
    value.split(/[;(]/, 1)[0]?.trim().toLowerCase(),
  );
  if (submitted.some((value) => value !== 'no')) return 'a program sent it (Auto-Submitted)';
  if (headerValues(header, 'return-path').some((value) => value.replaceAll(/\s/g, '') === '<>'))
    return 'it is a bounce (it has no return path)';
  if (/^multipart\/report\b|^message\/(delivery|disposition)/i.test(headerValue(header, 'content-type')))
    return 'it is a delivery report';
  if (['list-id', 'list-post', 'list-unsubscribe', 'feedback-id'].some(has)) return 'it comes from a mailing list';
  if (headerValues(header, 'precedence').some((value) => /bulk|list|junk|auto_reply/i.test(value)))
    return 'it is bulk mail (Precedence)';
  if (['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-failed-recipients'].some(has))
    return 'it is an automatic reply';
  if (/(^|<|\s)(mailer-daemon|postmaster|no-?reply|do-?not-?reply)[@+]/i.test(headerValue(header, 'from')))
    return 'its sender is a program';
  return null;
}
