/** The channel mail: what is known of it before it is opened. */
import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { certificateField, defineChannel, type Given, secretField } from '../channel-definition.ts';
import { MailChannel } from './mail-settings.ts';
import { mailProblems } from './mail-problems.ts';

const fields = {
  from: {
    value: 'ADDRESS',
    about: 'the address that oka writes from.',
    ask: 'Address that oka writes from',
    isNeeded: true,
  },
  to: {
    value: 'ADDRESS',
    about: 'who gets the messages; repeat for more.',
    ask: 'Addresses that get the messages',
    isNeeded: true,
    isList: true,
  },
  smtp: {
    value: 'HOST[:PORT]',
    about: 'the server that sends (465; TLS in any case).',
    ask: 'Server that mail is sent by, such as mail.example.org:465',
    isNeeded: true,
  },
  imap: {
    value: 'HOST[:PORT]',
    about: 'the server that is read for answers (993).',
    ask: 'Server that mail is read from, such as mail.example.org:993',
  },
  user: { value: 'NAME', about: 'the name to log in with.', ask: 'Name to log in with' },
  secret: { ...secretField, ask: 'Name of the password in the vault, such as MAIL', beside: 'user' },
  tasks: {
    value: 'ADDRESS',
    about: 'the address whose mail becomes a task.',
    ask: 'Address whose mail becomes a task',
    beside: 'imap',
  },
  sender: {
    value: 'ADDRESS',
    about: 'who may send tasks; repeat for more.',
    ask: 'Addresses that may send tasks',
    isNeeded: true,
    isList: true,
    beside: 'tasks',
  },
  authserv: {
    value: 'NAME',
    about: 'your server as it names itself in Authentication-Results.',
    ask: 'Name of your server in Authentication-Results',
    isNeeded: true,
    beside: 'tasks',
  },
  certificate: certificateField,
} as const;

export const mail = defineChannel({
  kind: 'mail',
  label: 'e-mail, also for answers and tasks',
  settings: MailChannel,
  fields,
  entryOf: (given) => ({
    from: given.from,
    to: given.to.length === 0 ? undefined : [...given.to],
    smtp: given.smtp === undefined ? undefined : mailServer(given.smtp, 465, given),
    imap: given.imap === undefined ? undefined : mailServer(given.imap, 993, given),
    tasks: given.tasks === undefined ? undefined : tasksOf(given.tasks, given),
  }),
  hostsOf: ({ smtp, imap }) => [
    ...new Set([smtp, imap].flatMap((server) => (server === undefined ? [] : [parseServer(server).host]))),
  ],
  addressOf: ({ to }) => to.join(', '),
  answeredBy: () => 'words',
  problems: mailProblems,
  open: async (settings, tools) => (await import('./mail-channel.ts')).openMailChannel(settings, tools),
});

/** Ports on which a connection begins in plain text and is encrypted before anything else is said. */
const STARTTLS = new Set([25, 143, 587]);

function mailServer(text: string, usual: number, { user, secret, certificate }: Given<typeof fields>): Json {
  const { host, port = usual } = parseServer(text);
  return {
    host,
    port,
    security: STARTTLS.has(port) ? 'starttls' : 'tls',
    ...(user === undefined ? {} : { user }),
    ...(secret === undefined ? {} : { password: secret }),
    ...(certificate === undefined ? {} : { certificate }),
  };
}

const tasksOf = (address: string, { sender, authserv }: Given<typeof fields>): Json => ({
  address,
  senders: [...sender],
  ...(authserv === undefined ? {} : { authserv_id: authserv }),
});

/** `host` or `host:port`. */
function parseServer(text: string): { host: string; port?: number } {
  const [, host = '', digits] = /^([^:/\s]+|\[[\da-f:]+\])(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === '')
    throw new OkaError('usage', `"${text}" is no mail server`, { fix: 'Write a name, or mail.example.org:587' });
  return { host: host.replaceAll(/^\[|\]$/g, ''), ...(digits === undefined ? {} : { port: Number(digits) }) };
}
