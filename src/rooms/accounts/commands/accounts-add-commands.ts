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
    summary: 'Let oka look into a mailbox of yours; on a terminal, asks for what is missing',
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
  const server = await serverFor(given, address, dialog);
  const secret = given.secret ?? `MAIL_${account.toUpperCase().replaceAll('-', '_')}`;
  const folders = given.see.length > 0 || dialog === null ? [...given.see] : await askFolders(dialog);
  const entry: Record<string, Json> = {
    address,
    ...(given.called === undefined ? {} : { name: given.called }),
    imap: {
      ...server,
      user: given.user ?? address,
      password: `secret:${secret}`,
      ...(given.certificate === undefined ? {} : { certificate: given.certificate }),
    },
    ...(folders.length === 0 ? {} : { see: { folders } }),
  };
  const read = readAccount(account, entry);
  if (typeof read === 'string') throw new OkaError('usage', `the account ${account} cannot be added: ${read}`);
  const about = { account, entry, file: accountsFile(home) };
  const text = changeAccount(home, account, entry);
  const password = { name: secret, tool: `accounts.${account}`, hosts: [server.host] };
  const isStored = dialog !== null && (await askSecret(call, password, dialog));
  const hint = isStored ? null : `oka secrets set ${secret} --tool accounts.${account} --host ${server.host}`;
  if (text !== null) return answer({ ...about, secret: hint, test: null, added: false, text }, exits.refused);
  const test = isStored ? await dialog.during(() => runOther(['accounts', 'test', account, '--dir', home.dir])) : null;
  return answer({ ...about, secret: hint, test: test?.printed ?? null, added: true }, test?.code ?? exits.ok);
}

async function askFolders(dialog: Dialog): Promise<string[]> {
  const words = await dialog.ask('Folders that oka may see (Enter for inbox, sent, drafts; * for all): ');
  return words
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** The server that the person names, or that the domain of the address publishes. */
async function serverFor({ imap, security, yes }: Given, address: string, dialog: Dialog | null): Promise<Server> {
  if (imap !== undefined) return namedServer(imap, security ?? 'tls');
  const domain = address.split('@')[1] ?? '';
  const found = domain === '' ? null : await findServer('imap', domain, resolveSrv);
  if (found === null || typeof found === 'string') {
    if (dialog === null)
      throw new OkaError('usage', found ?? `${domain || address} does not publish which server its mail is on`, {
        fix: 'Name it, as your provider calls the server for incoming mail (IMAP): --imap HOST',
      });
    dialog.print(`${found ?? `${domain} does not publish which server its mail is on.`}\n`);
    return namedServer(await dialog.ask('The server for incoming mail (IMAP), as your provider calls it: '), 'tls');
  }
  const { isForeign, ...server } = found;
  const name = `${server.host}:${server.port}`;
  if (dialog !== null) {
    const answered = await dialog.ask(`Your password would go to ${name}. Is that the server of ${domain}? [y/N] `);
    if (!/^y(es)?$/i.test(answered))
      throw new OkaError('refused', 'nothing was changed', { fix: 'Name it: --imap HOST' });
  } else if (isForeign && !yes)
    throw new OkaError('usage', `${domain} says that its mail is on ${name}, which is another domain`, {
      fix: `If that is right: --imap ${name}`,
    });
  return server;
}

function namedServer(words: string, security: string): Server {
  const [, host, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(words.trim()) ?? [];
  if (host === undefined || !['tls', 'starttls', 'none'].includes(security))
    throw new OkaError('usage', `"${words}" with ${security} names no server`, { fix: '--imap imap.example.org:993' });
  return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port ?? (security === 'tls' ? 993 : 143)), security };
}
