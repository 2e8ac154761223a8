/** Owns: what `oka doctor` says of accounts.json. Asks no server. */
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { loadAccounts } from './accounts-file.ts';

export function accountFindings(home: Home): Finding[] {
  const { accounts, problems } = loadAccounts(home);
  const wrong = problems.map(
    ({ account, problem }): Finding => ({
      state: 'odd',
      what: 'accounts',
      found: account === null ? problem : `the account ${account} cannot be used: ${problem}`,
      fix: 'Correct .oka/rules/accounts.json.',
    }),
  );
  if (accounts.size === 0) return wrong;
  return [...wrong, { state: 'good', what: 'accounts', found: `oka may look into ${[...accounts.keys()].join(', ')}` }];
}
