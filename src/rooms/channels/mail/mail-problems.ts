/** Owns: what in the settings of e-mail would never work, or would be less safe than it looks. Pure. */
import type { MailChannel } from './mail-settings.ts';
import { isThisMachine } from '../../../kit/mail/this-machine.ts';

type MailProblem = { problem: string; fix: string };

export function mailProblems({ from, reply_to, smtp, imap, tasks }: MailChannel): MailProblem[] {
  const servers = [smtp, ...(imap === undefined ? [] : [imap])];
  const open = servers.filter(({ security, host }) => security === 'none' && !isThisMachine(host));
  const incomplete = servers.filter(({ user, password }) => (user === undefined) !== (password === undefined));
  return [
    ...open.map(({ host }) => ({
      problem: `mail and the password would go to ${host} in plain text, so nothing is sent`,
      fix: 'Set its "security" to "tls" or "starttls"; a private certificate is pinned by "certificate".',
    })),
    ...incomplete.map(({ host }) => ({
      problem: `${host} has either a user or a password, and needs both`,
      fix: 'Set "user" and "password": "secret:NAME".',
    })),
    ...(tasks === undefined || imap !== undefined
      ? []
      : [{ problem: 'mail can become a task, but no mailbox is read', fix: 'Set "imap", or remove "tasks".' }]),
    ...(tasks === undefined || tasks.authserv_id !== undefined || tasks.address_secret !== undefined
      ? []
      : [
          {
            problem: 'nothing proves who sends a task, so no mail becomes one',
            fix: 'Set "authserv_id" to the name of your mail server in Authentication-Results, or "address_secret".',
          },
        ]),
    ...(tasks !== undefined && tasks.senders.some((sender) => [from, reply_to, tasks.address].includes(sender))
      ? [{ problem: 'an address of oka itself is among the senders of tasks', fix: 'Remove it from "senders".' }]
      : []),
  ];
}
