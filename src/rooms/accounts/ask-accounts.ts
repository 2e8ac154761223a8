/** Owns: asking one account or all of them; one that cannot be reached costs only itself. */
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { ToolCall } from '../../core/schema/tool.ts';
import type { Account } from './account-settings.ts';
import type { Mailboxes } from './open-mailboxes.ts';

export type AccountsInUse = {
  /** Read anew, since people change them. */
  accounts: () => ReadonlyMap<string, Account>;
  mailboxes: Mailboxes;
};

export type Asked<T> = { answers: T[]; note: string | null };

/** Throws when none of them answers. */
export async function askAccounts<T>(
  all: ReadonlyMap<string, Account>,
  wanted: string | undefined,
  { signal }: Pick<ToolCall, 'signal'>,
  ask: (name: string, settings: Account) => Promise<T>,
): Promise<Asked<T>> {
  const asked = wanted === undefined ? [...all] : [[wanted, accountNamed(all, wanted)] as const];
  const answers: T[] = [];
  const problems: { name: string; error: unknown }[] = [];
  for (const [name, settings] of asked)
    try {
      answers.push(await ask(name, settings));
    } catch (error) {
      signal.throwIfAborted();
      problems.push({ name, error });
    }
  const [first] = problems;
  if (answers.length === 0 && first !== undefined) throw first.error;
  const note = problems.map(({ name, error }) => `the account ${name} did not answer: ${messageOf(error)}`).join('; ');
  return { answers, note: note === '' ? null : note };
}

export function accountNamed(accounts: ReadonlyMap<string, Account>, name: string): Account {
  const settings = accounts.get(name);
  if (settings !== undefined) return settings;
  const names = [...accounts.keys()].join(', ');
  throw new OkaError('usage', `there is no account "${name}"`, {
    fix: names === '' ? 'A person can add one: oka accounts add NAME --address ADDRESS' : `There are ${names}.`,
  });
}
