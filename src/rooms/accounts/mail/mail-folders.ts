/** Owns: which folders of a mailbox there are for oka. Pure but for asking the server for their list. */
import type { ImapConnection } from '../../../kit/mail/imap-connection.ts';
import type { Account } from '../account-settings.ts';

/** `role` is what it is for, by what the server says of it, or by its name where the server says nothing. */
export type MailFolder = { path: string; role: FolderRole | null };

const ROLES = ['inbox', 'sent', 'drafts', 'archive', 'junk', 'trash'] as const;
type FolderRole = (typeof ROLES)[number];

const isRole = (name: string): name is FolderRole => (ROLES as readonly string[]).includes(name);

export async function listFolders(client: ImapConnection): Promise<MailFolder[]> {
  const found = await client.list();
  return found
    .filter(({ flags }) => !flags.has('\\Noselect') && !flags.has('\\NonExistent'))
    .map(({ path, specialUse }) => {
      const role = path.toUpperCase() === 'INBOX' ? 'inbox' : (specialUse ?? '').replace('\\', '').toLowerCase();
      return { path, role: isRole(role) ? role : null };
    });
}

/** The folders that the settings name: by what they are for, by name, or all. */
function chosenFolders(folders: readonly MailFolder[], names: readonly string[]): MailFolder[] {
  return folders.filter((folder) => names.some((name) => name === '*' || isFolder(folder, name)));
}

/** Whether words name this folder. The name that the server has counts first: only a folder without it goes by what it is for. */
export const isFolder = ({ path, role }: MailFolder, name: string): boolean =>
  path === name || (role !== null && name.toLowerCase() === role);

export const visibleFolders = (folders: readonly MailFolder[], { see }: Account): MailFolder[] =>
  chosenFolders(folders, see.folders);
