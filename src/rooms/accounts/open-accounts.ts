/** Owns: the tools of accounts while a process owns the pen: they are there as soon as accounts.json names an account. */
import type { ChangingTools } from '../../core/engine/tool-registry.ts';
import { stampOf } from '../../core/ledger/disk.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Home } from '../../core/schema/home.ts';
import type { OpenedRoom } from '../../core/schema/room.ts';
import type { EgressRoutes } from '../../kit/egress/egress-routes.ts';
import { accessRoute } from '../../kit/egress/server-access.ts';
import { undoLimits } from '../../kit/runs/undo-folder.ts';
import { readConfined } from '../../kit/sandbox/read-confined.ts';
import type { HomeVault } from '../../kit/vault/home-vault.ts';
import type { Account } from './account-settings.ts';
import { accountTools, TOOLS } from './account-tools.ts';
import { accountsFile, loadAccounts } from './accounts-file.ts';
import { formerEvents, pruneFormerEvents } from './calendar/former-events.ts';
import { openCalendars } from './calendar/open-calendars.ts';
import { openMailboxes } from './open-mailboxes.ts';
import { testAccount } from './test-account.ts';

type AccountPorts = {
  home: Home;
  config: Config;
  vault: Pick<HomeVault, 'find'>;
  egress: EgressRoutes;
  tools: ChangingTools;
};

export function openAccounts({ home, config, vault, egress, tools }: AccountPorts): OpenedRoom {
  const route = accessRoute((name) => vault.find(name), egress);
  const mailboxes = openMailboxes(route);
  const calendars = openCalendars(route);
  const former = formerEvents(home);
  pruneFormerEvents(home, undoLimits(config.maintenance).keepMs);
  let stamp = '';
  let current: ReadonlyMap<string, Account> = new Map();
  const refresh = (): Promise<void> => {
    const now = stampOf(accountsFile(home));
    if (now === stamp) return Promise.resolve();
    stamp = now;
    current = loadAccounts(home).accounts;
    tools.remove(TOOLS);
    const ports = { accounts: () => current, mailboxes, calendars, former, readDocument: readConfined };
    tools.add(accountTools(ports, current));
    return Promise.resolve();
  };
  void refresh();
  return {
    refresh,
    intakes: {
      test_account: async ({ account }) => {
        await refresh();
        return { answer: testAccount({ accounts: () => current, mailboxes, calendars }, account) };
      },
    },
    close: () => mailboxes.close(),
  };
}
