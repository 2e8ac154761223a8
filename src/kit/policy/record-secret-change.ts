/** Records that a person changed the vault; whoever owns the pen detects it without being asked (open-guard.ts). */
import type { Home } from '../../core/schema/home.ts';
import { loadConfig } from '../settings.ts';
import { openStores } from '../house/stores.ts';
import type { SecretChange } from '../vault/home-vault.ts';

export async function recordSecretChange(home: Home, change: SecretChange): Promise<void> {
  const stores = await openStores(home, await loadConfig(home));
  try {
    await stores.ledger.append({ type: 'secret.changed', data: change });
  } finally {
    await stores.close();
  }
}
