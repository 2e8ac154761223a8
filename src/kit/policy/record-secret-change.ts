/** Records that a person changed the vault; whoever owns the pen detects it without being asked (open-guard.ts). */
import type { Home } from '../../core/schema/home.ts';
import { loadConfig } from '../settings.ts';
import { withStores } from '../house/await-pen.ts';
import type { Log } from '../log-line.ts';
import type { SecretChange } from '../vault/home-vault.ts';

export async function recordSecretChange(
  { home, signal, notify }: { home: Home; signal: AbortSignal; notify: Log },
  change: SecretChange,
): Promise<void> {
  await withStores(home, await loadConfig(home), { signal, notify }, async ({ ledger }) => {
    await ledger.append({ type: 'secret.changed', data: change });
  });
}
