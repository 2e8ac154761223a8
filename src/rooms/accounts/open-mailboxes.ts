/**
 * Owns: connections to the mailboxes of accounts, for as long as a process uses them.
 *
 * M1 A folder that the account does not show is not opened, whoever names it.
 * M2 Folders are opened to read, so that nothing is marked by looking at it.
 * M3 A call that is stopped closes its connection; other calls have theirs. Connections that nobody uses are closed soon.
 */
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { type AccessRoute, serverAccess } from '../../kit/egress/server-access.ts';
import { askingImap, type ImapConnection, newImapConnection } from '../../kit/mail/imap-connection.ts';
import type { MailRoute } from '../../kit/mail/server-tls.ts';
import type { Account } from './account-settings.ts';
import { type MailFolder, listFolders, visibleFolders } from './mail/mail-folders.ts';

/** A mailbox that is open for one call. */
export type OpenMailbox = {
  account: string;
  settings: Account;
  /** Those that there are, and of these what oka may see. */
  all: readonly MailFolder[];
  folders: readonly MailFolder[];
  /** Opens the folder for drafts or for sent mail, to write; null where there is none. oka looks there for its own mails. */
  openOwn: (role: 'drafts' | 'sent') => Promise<{ client: ImapConnection; folder: string } | null>;
  /** How many mails a folder has. */
  count: (folder: string) => Promise<number>;
  /** Opens a folder to read it; gives its validity. Throws for a folder that oka may not see. */
  open: (folder: string) => Promise<{ client: ImapConnection; validity: string }>;
};

export type Mailboxes = {
  /** What servers of an account are reached with. */
  access: (account: string) => MailRoute;
  /** `act` has a connection of its own. What the server refuses is thrown in its own words. */
  use<T>(account: string, settings: Account, signal: AbortSignal, act: (box: OpenMailbox) => Promise<T>): Promise<T>;
  close(): void;
};

type Held = { client: ImapConnection; folders: readonly MailFolder[]; stamp: string };

const KEEP_MS = 60_000;
/** A call that finds no connection that works gets a new one. */
const MOST_IDLE = 2;

export function openMailboxes(route: AccessRoute): Mailboxes {
  const idle = new Map<Held, NodeJS.Timeout>();
  const drop = (held: Held): void => {
    clearTimeout(idle.get(held));
    idle.delete(held);
    held.client.close();
  };
  const keep = (held: Held): void => {
    if (!held.client.usable || idle.size >= MOST_IDLE) return held.client.close();
    idle.set(held, setTimeout(() => drop(held), KEEP_MS).unref());
  };
  const take = (stamp: string): Held | undefined => {
    const held = [...idle.keys()].find((each) => each.stamp === stamp && each.client.usable);
    if (held === undefined) return undefined;
    clearTimeout(idle.get(held));
    idle.delete(held);
    return held;
  };
  return {
    access: (account) => accessOf(account, route),
    use: async (account, settings, signal, act) => {
      signal.throwIfAborted();
      const stamp = JSON.stringify([account, settings]);
      const held = take(stamp) ?? { stamp, ...(await connect(account, settings, route, signal)) };
      const stop = (): void => held.client.close();
      signal.addEventListener('abort', stop, { once: true });
      try {
        return await askingImap(() => act(asBox(account, settings, held)));
      } catch (error) {
        if (error instanceof OkaError) throw error;
        held.client.close();
        signal.throwIfAborted();
        throw notReached(account, settings, error);
      } finally {
        signal.removeEventListener('abort', stop);
        keep(held);
      }
    },
    close: () => {
      for (const held of idle.keys()) drop(held);
    },
  };
}

const accessOf = (account: string, route: AccessRoute): MailRoute =>
  serverAccess({ tool: `accounts.${account}`, called: `the account ${account}` }, route);

function asBox(account: string, settings: Account, { client, folders: all }: Held): OpenMailbox {
  const folders = visibleFolders(all, settings);
  return {
    account,
    settings,
    all,
    folders,
    count: async (folder) => mailsIn(await client.status(folder, { messages: true })),
    openOwn: async (role) => {
      const folder = all.find((each) => each.role === role)?.path;
      if (folder === undefined) return null;
      await client.mailboxOpen(folder);
      return { client, folder };
    },
    open: async (folder) => {
      if (!folders.some(({ path }) => path === folder))
        throw new OkaError('not-permitted', `the account ${account} shows oka no folder "${folder.slice(0, 200)}"`, {
          fix: `It shows ${folders.map(({ path }) => path).join(', ')}. A person can show more: oka accounts see ${account} FOLDER`,
        });
      const { uidValidity } = await client.mailboxOpen(folder, { readOnly: true });
      return { client, validity: String(uidValidity) };
    },
  };
}

const mailsIn = (status: { messages?: number | undefined } | false): number => (status && status.messages) || 0;

async function connect(
  account: string,
  settings: Account,
  route: AccessRoute,
  signal: AbortSignal,
): Promise<Omit<Held, 'stamp'>> {
  const client = await newImapConnection(settings.imap, accessOf(account, route));
  client.on('error', () => undefined); // whoever asks next learns it
  const stop = (): void => client.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const folders = await askingImap(async () => {
      await client.connect();
      return listFolders(client);
    });
    return { client, folders };
  } catch (error) {
    client.close();
    signal.throwIfAborted();
    throw notReached(account, settings, error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function notReached(account: string, { imap }: Account, error: unknown): OkaError {
  const { authenticationFailed } = ((error as Error).cause ?? error) as { authenticationFailed?: boolean };
  const what = authenticationFailed === true ? 'refuses the login' : 'cannot be used';
  return new OkaError(
    'account-down',
    `${imap.host} ${what} for the account ${account}: ${messageOf(error).replace(/\.+$/, '')}`,
    {
      fix:
        authenticationFailed === true
          ? `Many providers want a password for programs (app password). A person can set it: oka secrets set ${(imap.password ?? 'NAME').replace('secret:', '')} --tool accounts.${account} --host ${imap.host}`
          : `A person can try it: oka accounts test ${account}`,
      cause: error,
    },
  );
}
