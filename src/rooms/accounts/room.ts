/** What accounts of the person contribute: mail and calendars, once accounts.json names them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../core/schema/home.ts';
import { defineRoom, type OpenedRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, config, vault, egress, tools } = ports;

/** Not from accounts-file.ts, which loads the schema. */
const hasAccounts = (at: Home): boolean => existsSync(join(at.oka, 'rules', 'accounts.json'));

export const accounts = defineRoom({
  name: 'rooms/accounts',
  homeTools: async (at) => (hasAccounts(at) ? (await import('./account-tools.ts')).toolsOfHome(at) : []),
  detachedTools: async (place) => {
    if (place.purpose === 'replay' || !hasAccounts(place.home)) return []; // mailboxes have changed since
    return (await import('./account-tools.ts')).simulatedAccountTools(place.home);
  },
  findings: async (at) => (hasAccounts(at) ? (await import('./account-findings.ts')).accountFindings(at) : []),
  schemas: async () => ({ accounts: (await import('./account-settings.ts')).AccountsFile }),
  needs: { home, config, vault, egress, tools },
  open: async (needed) => {
    let opened: Promise<OpenedRoom> | null = null;
    const open = (): Promise<OpenedRoom> =>
      (opened ??= import('./open-accounts.ts').then(({ openAccounts }) => openAccounts(needed)));
    if (hasAccounts(needed.home)) await open();
    return {
      refresh: async () => {
        if (opened !== null || hasAccounts(needed.home)) await (await open()).refresh?.();
      },
      intakes: {
        test_account: async (asked) => (await (await open()).intakes?.test_account?.(asked)) ?? null,
      },
      close: async () => (await opened)?.close?.(),
    };
  },
});
