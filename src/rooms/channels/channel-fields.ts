/** What a channel of each kind is made of, as options and as questions, and the entry of channels.json made of it. Pure. */
import { OkaError } from '../../core/schema/errors.ts';
import type { Json } from '../../core/schema/json.ts';

export const CHANNEL_KINDS = ['ntfy', 'mail', 'push', 'webhook', 'apprise', 'command', 'desktop'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** What was given so far; the names are those of the options. Options that may be repeated are lists. */
export type ChannelFields = {
  url: string | undefined;
  topic: string | undefined;
  answers: string | undefined;
  buttons: string | undefined;
  secret: string | undefined;
  contact: string | undefined;
  tag: string | undefined;
  from: string | undefined;
  to: readonly string[];
  smtp: string | undefined;
  imap: string | undefined;
  user: string | undefined;
  tasks: string | undefined;
  sender: readonly string[];
  authserv: string | undefined;
  certificate: string | undefined;
  titleOnly: boolean;
  /** The program of a command channel, with its arguments. */
  command: readonly string[];
};

/** `when`: only then it means something. A field that is not needed may be left out. */
export type Field = {
  name: Exclude<keyof ChannelFields, 'titleOnly' | 'certificate'>;
  ask: string;
  isNeeded: boolean;
  when?: (given: ChannelFields) => boolean;
};

const needed = (name: Field['name'], ask: string, when?: Field['when']): Field => toField(name, ask, true, when);
const optional = (name: Field['name'], ask: string, when?: Field['when']): Field => toField(name, ask, false, when);
const toField = (name: Field['name'], ask: string, isNeeded: boolean, when: Field['when']): Field => ({
  name,
  ask,
  isNeeded,
  ...(when === undefined ? {} : { when }),
});

export const KIND_LABELS: Readonly<Record<ChannelKind, string>> = {
  ntfy: 'ntfy: notifications on your phone, with buttons',
  mail: 'e-mail, also for answers and tasks',
  push: 'Web Push to the dashboard in a browser or on a phone',
  webhook: 'a signed POST to a program of yours',
  apprise: 'an Apprise server, which knows a hundred services',
  command: 'a program of yours on this machine',
  desktop: 'notifications of this desktop',
};

const CHANNEL_FIELDS: Readonly<Record<ChannelKind, readonly Field[]>> = {
  ntfy: [
    needed('url', 'Address of the server, such as https://ntfy.example.org'),
    needed('topic', 'Topic that your phone subscribes to'),
    optional('answers', 'Topic that buttons write answers to'),
    optional('secret', 'Name of its access token in the vault, such as NTFY_TOKEN'),
    optional('buttons', 'Name of a token that may only write answers', ({ answers }) => answers !== undefined),
  ],
  mail: [
    needed('from', 'Address that oka writes from'),
    needed('to', 'Addresses that get the messages'),
    needed('smtp', 'Server that mail is sent by, such as mail.example.org:465'),
    optional('imap', 'Server that mail is read from, such as mail.example.org:993'),
    optional('user', 'Name to log in with'),
    optional('secret', 'Name of the password in the vault, such as MAIL', ({ user }) => user !== undefined),
    optional('tasks', 'Address whose mail becomes a task', ({ imap }) => imap !== undefined),
    needed('sender', 'Addresses that may send tasks', ({ tasks }) => tasks !== undefined),
    needed('authserv', 'Name of your server in Authentication-Results', ({ tasks }) => tasks !== undefined),
  ],
  push: [needed('contact', 'How the push service reaches you, such as mailto:you@example.org')],
  webhook: [
    needed('url', 'Address that is posted to'),
    needed('secret', 'Name of the key of its signature in the vault, such as HOOK_KEY'),
  ],
  apprise: [
    needed('url', 'Address that is posted to, such as http://apprise.lan:8000/notify/oka'),
    optional('secret', 'Name of its bearer token in the vault'),
    optional('tag', 'Tag of the services to notify'),
  ],
  command: [needed('command', 'The program and its arguments')],
  desktop: [],
};

/** The fields of a kind that were not given and mean something now. */
export const openFields = (kind: ChannelKind, given: ChannelFields): Field[] =>
  CHANNEL_FIELDS[kind].filter(({ name, when }) => isEmpty(given[name]) && (when?.(given) ?? true));

const isEmpty = (value: ChannelFields[Field['name']]): boolean => value === undefined || value.length === 0;

/** The entry of channels.json; what is wrong with it, its schema says. */
export function toChannelEntry(kind: ChannelKind, given: ChannelFields): Json {
  const { url, topic, answers, contact, tag, certificate, titleOnly, command } = given;
  const secret = asSecret(given.secret);
  const buttons = asSecret(given.buttons);
  const mail = kind === 'mail' ? mailEntry(given) : {};
  return present({
    kind,
    url,
    topic,
    contact,
    tag,
    ...mail,
    answers: answers === undefined ? undefined : present({ topic: answers, button_token: buttons }),
    command: command.length === 0 ? undefined : [...command],
    ...(kind === 'webhook' ? { secret } : kind === 'mail' ? {} : { token: secret }),
    certificate: kind === 'mail' ? undefined : certificate,
    content: titleOnly ? 'title' : undefined,
  });
}

function mailEntry({
  from,
  to,
  smtp,
  imap,
  user,
  secret,
  tasks,
  sender,
  authserv,
  certificate,
}: ChannelFields): Fields {
  const login = { user, password: asSecret(secret), certificate };
  return {
    from,
    to: to.length === 0 ? undefined : [...to],
    smtp: smtp === undefined ? undefined : present({ ...mailServer(smtp, 465), ...login }),
    imap: imap === undefined ? undefined : present({ ...mailServer(imap, 993), ...login }),
    tasks: tasks === undefined ? undefined : present({ address: tasks, senders: [...sender], authserv_id: authserv }),
  };
}

/** Ports on which a connection begins in plain text and is encrypted before anything else is said. */
const STARTTLS = new Set([25, 143, 587]);

/** `host` or `host:port`. */
function mailServer(text: string, usual: number): { host: string; port: number; security: string } {
  const [, host = '', digits] = /^([^:/\s]+|\[[\da-f:]+\])(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === '')
    throw new OkaError('usage', `"${text}" is no mail server`, { fix: 'Write a name, or mail.example.org:587' });
  const port = digits === undefined ? usual : Number(digits);
  return { host: host.replaceAll(/^\[|\]$/g, ''), port, security: STARTTLS.has(port) ? 'starttls' : 'tls' };
}

/** Secrets that the channel uses, with the hosts that they are sent to. */
export function channelSecrets(kind: ChannelKind, given: ChannelFields): { name: string; hosts: string[] }[] {
  const { url, smtp, imap, secret, buttons } = given;
  const servers = [smtp, imap].flatMap((server) => (server === undefined ? [] : [mailServer(server, 0).host]));
  const hosts = kind === 'mail' ? [...new Set(servers)] : url === undefined ? [] : [new URL(url).host];
  const names = [secret, kind === 'ntfy' ? buttons : undefined];
  return names.flatMap((name) => (name === undefined || hosts.length === 0 ? [] : [{ name, hosts }]));
}

const asSecret = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : `secret:${name.replace(/^secret:/, '')}`;

type Fields = Record<string, Json | undefined>;
const present = (fields: Fields): Record<string, Json> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
