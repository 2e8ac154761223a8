/** The public key of the vault, for a process that has to hand in a secret and may not read any. */
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { LateAnswer } from '../../core/schema/room.ts';
import { vaultOf } from '../../kit/vault/home-vault.ts';

/** `new_key`: where the key of a vault was stored that did not exist before; a person should make a copy of it. */
type OfferedRecipient = { recipient: string; new_key: string | null };

export async function offerRecipient(home: Home): Promise<LateAnswer> {
  return { answer: Promise.resolve(await findOrCreate(home)) };
}

/** A vault whose key is missing is refused: nothing is created beside it. */
async function findOrCreate(home: Home): Promise<OfferedRecipient> {
  const vault = await vaultOf(home);
  try {
    return { recipient: await vault.recipient(), new_key: null };
  } catch (error) {
    if (!(error instanceof OkaError) || error.code !== 'not-set-up') throw error;
    const { newKey } = await vault.change((contents) => contents);
    return { recipient: await vault.recipient(), new_key: newKey };
  }
}
