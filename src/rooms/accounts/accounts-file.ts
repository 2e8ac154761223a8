/**
 * Owns: .oka/rules/accounts.json, which people write.
 *
 * F1 An entry that cannot be used costs only itself; the others work. A file that is not JSON has no accounts.
 */
import { join } from 'node:path';
import type { Home } from '../../core/schema/home.ts';
import type { Json } from '../../core/schema/json.ts';
import { changeEntry, readEntries } from '../../kit/home/rules-entries.ts';
import { type Account, readAccount } from './account-settings.ts';

type HomeAccounts = {
  /** Those that are not disabled, in the order of the file. */
  accounts: ReadonlyMap<string, Account>;
  disabled: ReadonlyMap<string, Account>;
  problems: { account: string | null; problem: string }[];
};

const KEY = 'accounts';

export const accountsFile = (home: Home): string => join(home.oka, 'rules', 'accounts.json');

export function loadAccounts(home: Home): HomeAccounts {
  const file = readEntries(accountsFile(home), KEY);
  const accounts = new Map<string, Account>();
  const disabled = new Map<string, Account>();
  if ('problem' in file) return { accounts, disabled, problems: [{ account: null, problem: file.problem }] };
  const problems: HomeAccounts['problems'] = [];
  for (const [name, entry] of Object.entries(file.entries)) {
    const read = readAccount(name, entry);
    if (typeof read === 'string') problems.push({ account: name, problem: read });
    else (read.disabled ? disabled : accounts).set(name, read);
  }
  return { accounts, disabled, problems };
}

/** As changeEntry of kit/home. */
export const changeAccount = (home: Home, name: string, entry: Json | null): string | null =>
  changeEntry(accountsFile(home), KEY, name, entry);
