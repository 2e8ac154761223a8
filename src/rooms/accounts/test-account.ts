/** Owns: trying an account: whether its server takes the login, and what oka would see there. */
import type { Json } from '../../core/schema/json.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { type AccountsInUse, accountNamed } from './ask-accounts.ts';
import { tryToSend } from './try-to-send.ts';

/** `fix` says what a person can do about a problem. */
export type AccountTest = {
  problem: string | null;
  fix: string | null;
  folders: { path: string; role: string | null; seen: boolean; mails: number | null }[];
};

const PATIENCE_MS = 60_000;

export async function testAccount({ accounts, mailboxes }: AccountsInUse, name: string): Promise<Json> {
  try {
    const settings = accountNamed(accounts(), name);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    if (settings.smtp !== undefined) await tryToSend(name, settings.smtp, mailboxes.access(name), signal);
    return await mailboxes.use(name, settings, signal, async ({ all, folders, count }) => {
      const tested: AccountTest['folders'] = [];
      for (const { path, role } of all) {
        const seen = folders.some((folder) => folder.path === path);
        tested.push({ path, role, seen, mails: seen ? await count(path) : null });
      }
      return { problem: null, fix: null, folders: tested } satisfies AccountTest;
    });
  } catch (error) {
    const fix = error instanceof OkaError ? (error.fix ?? null) : null;
    return { problem: messageOf(error), fix, folders: [] } satisfies AccountTest;
  }
}
