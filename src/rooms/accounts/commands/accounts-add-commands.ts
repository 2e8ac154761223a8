/** New accounts. */
import { resolveSrv } from 'node:dns/promises';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { type Dialog, DialogLeft } from '../../../kit/cli/dialog.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { flag, text, texts } from '../../../kit/cli/options.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { askSecret } from '../../../kit/cli/secret-changes.ts';
import { readAccount } from '../account-settings.ts';
import { accountsFile, changeAccount, loadAccounts } from '../accounts-file.ts';
import { findServer } from '../find-servers.ts';

const options = {
  address: text('ADDRESS', 'The address of the mailbox.'),
  called: text('NAME', 'Your name, as it stands before the address.'),
  imap: text('HOST[:PORT]', 'The server of the mailbox; found by the address when left out.'),
  smtp: text('HOST[:PORT]', 'The server to send by; found by the address, or none, when left out.'),
  caldav: text('URL', 'The address of your calendars (CalDAV), as your provider calls it.'),
  security: text('KIND', 'tls (the default), starttls, or none on this machine.'),
  user: text('NAME', 'The name to log in with, if it is not the address.'),
  secret: text('NAME', 'The secret of the vault with the password.'),
  certificate: text('SHA256', 'The fingerprint of a private certificate, which is pinned.'),
  see: texts('FOLDER', 'A folder that oka may see, if not inbox, sent and drafts; * for all.'),
  yes: flag('Do not ask whether a server that was found is right.'),
};

type Given = {
  address: string | undefined;
  called: string | undefined;
  imap: string | undefined;
  smtp: string | undefined;
  caldav: string | undefined;
  security: string | undefined;
  user: string | undefined;
  secret: string | undefined;
  certificate: string | undefined;
  see: readonly string[];
  yes: boolean;
};

type AddData = {
  account: string;
  entry: Json;
  file: string;
  /** The command that stores its password; null when it is stored. */
  secret: string | null;
  /** What the test has printed, where there was one. */
  test: string | null;
} & ({ added: true } | { added: false; text: string });

type Server = { host: string; port: number; security: string };

export const commands: Commands = {
  'accounts add': command({
    summary: 'Let oka look into a mailbox of yours, and its calendars; on a terminal, asks for what is missing',
    operands: '<name>',
    options,
    example: 'oka accounts add work --address ann@example.org',
    run: async (call) => {
      const account = onlyOperand(call, 'account');
      await requireHome(call.home);
      const { accounts, disabled } = loadAccounts(call.home);
      if (accounts.has(account) || disabled.has(account))
        throw new OkaError('usage', `there is an account "${account}" already`, {
          fix: `Remove it first: oka accounts remove ${account}`,
        });
      const dialog = call.json || call.options.yes ? null : ((await call.openDialog?.()) ?? null);
      try {
        return await addAccount(call, account, dialog);
      } catch (error) {
        if (error instanceof DialogLeft) return { code: exits.interrupted };
        throw error;
      }
    },
    render: (data, { bold }) => {
      const { account, file, secret, test } = data;
      if (!data.added) return `The rules are read-only here; write this to ${file}:\n\n${data.text}`;
      const hint = secret === null ? '' : `Store its password: ${secret}\n`;
      return `Added ${bold(account)}.\n${hint}${test ?? `Try it: oka accounts test ${account}\n`}`;
    },
  }),
};

async function addAccount(call: Call<Given>, account: string, dialog: Dialog | null): Promise<Answer<AddData>> {
  const { home, options: given, runOther } = call;
  const address = given.address ?? (await dialog?.ask('The address of the mailbox: '));
  if (address === undefined)
    throw new OkaError('usage', 'the address is missing', { fix: `oka accounts add ${account} --address ADDRESS` });
  const server = await serverFor('imap', given, address, dialog);
  const sender = await serverFor('smtp', given, address, dialog);
  if (server === null) throw new OkaError('usage', 'the server of the mailbox is missing', { fix: '--imap HOST' });
  const secret = given.secret ?? `MAIL_${account.toUpperCase().replaceAll('-', '_')}`;
  const folders = given.see.length > 0 || dialog === null ? [...given.see] : await askFolders(dialog);
  const login = {
    user: given.user ?? address,
    password: `secret:${secret}`,
    ...(given.certificate === undefined ? {} : { certificate: given.certificate }),
  };
  const calendars = given.caldav ?? (given.imap === undefined ? await dialog?.ask(ASK_CALENDARS) : '') ?? '';
  const hosts = [server.host, sender?.host ?? '', URL.parse(calendars)?.hostname ?? ''].filter(
    (host, index, all) => host !== '' && all.indexOf(host) === index,
  );
  const entry: Record<string, Json> = {
    address,
    ...(given.called === undefined ? {} : { name: given.called }),
    imap: { ...server, ...login },
    ...(sender === null ? {} : { smtp: { ...sender, ...login } }),
    ...(calendars === '' ? {} : { caldav: { url: calendars, ...login } }),
    ...(folders.length === 0 ? {} : { see: { folders } }),
  };
  const read = readAccount(account, entry);
  if (typeof read === 'string') throw new OkaError('usage', `the account ${account} cannot be added: ${read}`);
  const about = { account, entry, file: accountsFile(home) };
  const text = changeAccount(home, account, entry);
  const password = { name: secret, tool: `accounts.${account}`, hosts };
  const isStored = dialog !== null && (await askSecret(call, password, dialog));
  const hint = isStored
    ? null
    : [`oka secrets set ${secret} --tool accounts.${account}`, ...hosts.map((host) => `--host ${host}`)].join(' ');
  if (text !== null) return answer({ ...about, secret: hint, test: null, added: false, text }, exits.refused);
  const test = isStored ? await dialog.during(() => runOther(['accounts', 'test', account, '--dir', home.dir])) : null;
  return answer({ ...about, secret: hint, test: test?.printed ?? null, added: true }, test?.code ?? exits.ok);
}

const ASK_CALENDARS = 'The address of your calendars (CalDAV), as your provider calls it (Enter for none): ';

async function askFolders(dialog: Dialog): Promise<string[]> {
  const words = await dialog.ask('Folders that oka may see (Enter for inbox, sent, drafts; * for all): ');
  return words
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

const ROLES = {
  imap: {
    what: 'mail is on',
    ask: 'The server for incoming mail (IMAP), as your provider calls it: ',
    ports: [993, 143],
  },
  smtp: { what: 'mail is sent by', ask: 'The server for outgoing mail (SMTP; Enter for none): ', ports: [465, 587] },
} as const;

/** The server that the person names, or that the domain of the address publishes; null where there is none to send by. */
async function serverFor(
  role: keyof typeof ROLES,
  given: Given,
  address: string,
  dialog: Dialog | null,
): Promise<Server | null> {
  const { what, ask } = ROLES[role];
  const { [role]: named, imap, security, yes } = given;
  if (named !== undefined) return namedServer(named, security ?? 'tls', role);
  const domain = address.split('@')[1] ?? '';
  // Whoever names one server knows where the other is.
  const found = domain === '' || imap !== undefined ? null : await findServer(role, domain, resolveSrv);
  if (found === null || typeof found === 'string') {
    const missing = found ?? `${domain || address} does not publish which server its ${what}.`;
    if (dialog === null && role === 'smtp') return null;
    if (dialog === null)
      throw new OkaError('usage', missing.replace(/\.$/, ''), {
        fix: 'Name it, as your provider calls the server for incoming mail (IMAP): --imap HOST',
      });
    dialog.print(`${missing}\n`);
    const words = await dialog.ask(ask);
    return words === '' && role === 'smtp' ? null : namedServer(words, 'tls', role);
  }
  const { isForeign, ...server } = found;
  const name = `${server.host}:${server.port}`;
  if (dialog !== null) {
    const answered = await dialog.ask(`Your password would go to ${name}. Is that a server of ${domain}? [y/N] `);
    if (!/^y(es)?$/i.test(answered))
      throw new OkaError('refused', 'nothing was changed', { fix: `Name the right one: --${role} HOST` });
  } else if (isForeign && !yes)
    throw new OkaError('usage', `${domain} says that its ${what} ${name}, which is another domain`, {
      fix: `If that is right: --${role} ${name}`,
    });
  return server;
}

function namedServer(words: string, security: string, role: keyof typeof ROLES): Server {
  const [, host, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(words.trim()) ?? [];
  if (host === undefined || !['tls', 'starttls', 'none'].includes(security))
    throw new OkaError('usage', `"${words}" with ${security} names no server`, {
      fix: `--${role} mail.example.org:993`,
    });
  const [secure, plain] = ROLES[role].ports;
  return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port ?? (security === 'tls' ? secure : plain)), security };
}
