/** Accounts of the person: which there are, whether they work, what oka may see of them. */
import type { Home } from '../../../core/schema/home.ts';
import type { Json } from '../../../core/schema/json.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { carryOut } from '../../../kit/cli/carry-out.ts';
import { answer, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { flag } from '../../../kit/cli/options.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { readEntries } from '../../../kit/home/rules-entries.ts';
import { accountsFile, changeAccount, loadAccounts } from '../accounts-file.ts';
import type { AccountTest } from '../test-account.ts';

export const commands: Commands = {
  'accounts list': command({
    summary: 'List your accounts, and what oka may see of them',
    example: 'oka accounts list',
    run: async ({ home }) => {
      await requireHome(home);
      const { accounts, disabled, problems } = loadAccounts(home);
      const all = [...accounts, ...disabled].map(
        ([name, { address, imap, smtp, caldav, see, change, disabled: off }]) => ({
          account: name,
          address,
          server: imap.host,
          sees: see.folders,
          drafts: change.drafts,
          calendars:
            caldav === undefined
              ? null
              : { at: new URL(caldav.url).host, sees: see.calendars, changes: change.calendars },
          sends_by: smtp?.host ?? null,
          disabled: off,
        }),
      );
      return answer({ accounts: all, problems });
    },
    render: ({ accounts, problems }, { bold, dim, red, yellow }) => {
      const lines = accounts.flatMap(
        ({ account, address, server, sees, drafts, sends_by: sender, calendars, disabled }) => [
          `${bold(account)}  ${address}${disabled ? yellow(' (disabled)') : ''}`,
          dim(`  at ${server}; oka sees ${plainText(sees.join(', '))}`),
          dim(
            `  ${drafts ? 'it writes drafts' : 'it writes nothing'}; ${sender === null ? 'there is no server to send by' : `with a yes, it sends by ${sender}`}`,
          ),
          ...(calendars === null
            ? []
            : [
                dim(
                  `  calendars at ${calendars.at}; oka sees ${plainText(namesOf(calendars.sees))}; with a yes, it changes ${plainText(namesOf(calendars.changes))}`,
                ),
              ]),
        ],
      );
      const wrong = problems.map(({ account, problem }) =>
        red(plainText(account === null ? problem : `${account} cannot be used: ${problem}`)),
      );
      const all = [...lines, ...wrong];
      return all.length === 0
        ? 'There are no accounts. Add one: oka accounts add NAME --address ADDRESS\n'
        : `${all.join('\n')}\n`;
    },
  }),
  'accounts test': command({
    summary: 'Log in to an account and list its folders and calendars; exit 1 when that does not work',
    operands: '<name>',
    example: 'oka accounts test work',
    run: async (call) => {
      const account = onlyOperand(call, 'account');
      await requireHome(call.home);
      const tested = (await carryOut(call, { kind: 'test_account', account })) as AccountTest;
      return answer({ account, ...tested }, tested.problem === null ? exits.ok : exits.no);
    },
    render: ({ account, problem, fix, folders, calendars }, { green, red, dim }) => {
      if (problem !== null)
        return `${red('failed')} ${account}: ${plainText(problem)}\n${fix === null ? '' : `${plainText(fix)}\n`}`;
      const lines = folders.map(({ path, role, seen, mails }) => {
        const what = `${plainText(path)}${role === null || role === path.toLowerCase() ? '' : ` (${role})`}`;
        return seen ? `  ${what}: ${mails ?? 0} mails` : dim(`  ${what}: oka does not see it`);
      });
      for (const { name, seen } of calendars)
        lines.push(
          seen ? `  the calendar ${plainText(name)}` : dim(`  the calendar ${plainText(name)}: oka does not see it`),
        );
      return `${green('ok')} ${account} works\n${lines.join('\n')}\n`;
    },
  }),
  'accounts see': command({
    summary: 'Let oka see further folders or calendars of an account; --not: no longer',
    operands: '<name> <folder…>',
    options: { not: flag('Let it see them no longer.'), calendars: flag('These are names of calendars.') },
    example: 'oka accounts see work archive "Invoices/2026"',
    run: async ({ home, operands, options }) => {
      const [account = '', ...folders] = operands;
      await requireHome(home);
      if (folders.length === 0)
        throw new OkaError('usage', 'the folder is missing', { fix: 'oka accounts see NAME FOLDER' });
      const entry = entryOf(home, account);
      const part = options.calendars ? 'calendars' : 'folders';
      const seen = loadAccounts(home).accounts.get(account)?.see[part] ?? [];
      const after = options.not
        ? seen.filter((each) => !folders.includes(each))
        : [...seen, ...folders.filter((each) => !seen.includes(each))];
      const see = { ...(entry['see'] as Record<string, Json> | undefined), [part]: after };
      return changed(home, account, { ...entry, see }, { sees: after });
    },
    render: (data) => (data.text === null ? `oka sees ${plainText(namesOf(data.sees))}\n` : readOnly(data)),
  }),
  'accounts remove': command({
    summary: 'Remove an account; its mails stay where they are',
    operands: '<name>',
    example: 'oka accounts remove work',
    run: async (call) => {
      const account = onlyOperand(call, 'account');
      await requireHome(call.home);
      const { imap } = entryOf(call.home, account) as { imap?: { password?: string } };
      const secret = imap?.password?.replace('secret:', '') ?? null;
      return changed(call.home, account, null, { secret });
    },
    render: (data) => {
      if (data.text !== null) return readOnly(data);
      const rest = data.secret === null ? '' : `Its password is still in the vault: oka secrets rm ${data.secret}\n`;
      return `Removed ${data.account}.\n${rest}`;
    },
  }),
};

const namesOf = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => (name === '*' ? 'all' : name)).join(', ');

/** As it stands in the file; throws for an account that does not. */
function entryOf(home: Home, account: string): Record<string, Json> {
  const file = readEntries(accountsFile(home), 'accounts');
  if ('problem' in file) throw new OkaError('invalid-file', file.problem, { fix: 'Correct the file first.' });
  const entry = file.entries[account];
  if (entry === undefined || entry === null || typeof entry !== 'object' || Array.isArray(entry))
    throw new OkaError('usage', `there is no account "${account}"`, { fix: 'List them: oka accounts list' });
  return entry;
}

/** `text` is what a person has to write where the rules are read-only. */
function changed<T extends object>(home: Home, account: string, entry: Json | null, more: T) {
  const text = changeAccount(home, account, entry);
  const data = { account, file: accountsFile(home), text, ...more };
  return answer(data, text === null ? exits.ok : exits.refused);
}

const readOnly = ({ file, text }: { file: string; text: string | null }): string =>
  `The rules are read-only here; write this to ${file}:\n\n${text ?? ''}`;
