/** Owns: trying an account: whether its server takes the login, and what oka would see there. */
import type { Json } from '../../core/schema/json.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { type AccountsInUse, accountNamed } from './ask-accounts.ts';
import type { CalendarReading } from './calendar/read-calendars.ts';
import { tryToSend } from './try-to-send.ts';

/** `fix` says what a person can do about a problem. */
export type AccountTest = {
  problem: string | null;
  fix: string | null;
  folders: { path: string; role: string | null; seen: boolean; mails: number | null }[];
  calendars: { name: string; seen: boolean }[];
};

const PATIENCE_MS = 60_000;

export async function testAccount(
  { accounts, mailboxes, calendars }: AccountsInUse & CalendarReading,
  name: string,
): Promise<Json> {
  try {
    const settings = accountNamed(accounts(), name);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    if (settings.smtp !== undefined) await tryToSend(name, settings.smtp, mailboxes.access(name), signal);
    const tested =
      settings.caldav === undefined
        ? []
        : await calendars.use(name, settings, signal, async ({ all, calendars: seen }) =>
            all.map((each) => ({ name: each.name, seen: seen.includes(each) })),
          );
    return await mailboxes.use(name, settings, signal, async ({ all, folders, count }) => {
      const listed: AccountTest['folders'] = [];
      for (const { path, role } of all) {
        const seen = folders.some((folder) => folder.path === path);
        listed.push({ path, role, seen, mails: seen ? await count(path) : null });
      }
      return { problem: null, fix: null, folders: listed, calendars: tested } satisfies AccountTest;
    });
  } catch (error) {
    const fix = error instanceof OkaError ? (error.fix ?? null) : null;
    return { problem: messageOf(error), fix, folders: [], calendars: [] } satisfies AccountTest;
  }
}
