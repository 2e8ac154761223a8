/** What `oka doctor` reports about the vault: whether it opens. Nobody is asked for a passphrase, and nothing in it is shown. */
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { vaultPlaces } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';
import { vaultOf } from '../../kit/vault/home-vault.ts';

const what = 'vault';

/** A process that must not have secrets in its memory says only that the vault is there. */
export async function vaultFinding(home: Home, mayOpen = true): Promise<Finding> {
  const places = vaultPlaces(home);
  const { file } = places;
  try {
    const stats = lstatIfPresent(file);
    if (stats === undefined) return { state: 'good', what, found: 'none yet; oka secrets set makes one' };
    if (!mayOpen) return { state: 'good', what, found: `${file} is there; oka doctor tries whether it opens` };
    const { findIdentity } = await import('../../kit/vault/vault-identity.ts');
    const identity = findIdentity(places);
    if (stats.isFile() && identity?.wrapped === true)
      return { state: 'good', what, found: `${file}: its key asks for a passphrase, so it was not opened` };
    const secrets = await secretsIn(home);
    const found = `${file} opens; ${secrets} secret${secrets === 1 ? '' : 's'}`;
    if ((stats.mode & 0o077) === 0) return { state: 'good', what, found };
    return { state: 'odd', what, found: `${found}; others can touch it`, fix: `chmod 600 ${file}` };
  } catch (error) {
    return { state: 'bad', what, found: messageOf(error), fix: fixOf(error, file) };
  }
}

async function secretsIn(home: Home): Promise<number> {
  const contents = await (await vaultOf(home)).read();
  return Object.values(contents?.secrets ?? {}).filter(({ value }) => value !== null).length;
}

/** Until it opens, what needs a secret fails. */
function fixOf(error: unknown, file: string): string {
  const isClosed = error instanceof OkaError && error.code === 'not-permitted';
  if (isClosed)
    return `sudo chown ${process.getuid?.() ?? 'UID'} ${file} && chmod 600 ${file}, and the same for its key`;
  return error instanceof OkaError && error.fix !== undefined ? error.fix : 'Look at the file.';
}
