/** What the commands about secrets have in common: reading a value, changing the vault, and telling the ledger. */
import { text as readAll } from 'node:stream/consumers';
import { hiddenAnswer } from '../daemon/guard/hidden-prompt.ts';
import { isSetUp } from '../daemon/home/set-up.ts';
import { loadConfig } from '../daemon/settings.ts';
import { openStores } from '../daemon/stores.ts';
import { type SecretChange, vaultOf } from '../daemon/guard/home-vault.ts';
import { penHolder } from '../ledger/pen.ts';
import { OkaError } from '../schema/errors.ts';
import type { VaultContents } from '../schema/secret.ts';
import { type Call, exits } from './command.ts';

export type Changed = { contents: VaultContents; change: Omit<SecretChange, 'name'> };

/** The name, and nothing else: what stands on a command line can be read by others. */
export function onlyName({ operands }: Call): string {
  const [name, ...more] = operands;
  if (name === undefined) throw new OkaError('usage', 'the name of the secret is missing');
  if (more.length > 0)
    throw new OkaError('usage', 'a value is never an argument: other processes see it, and the shell keeps it', {
      fix: `Type it in: oka secrets set ${name}   or pipe it from where it is. Change the value you have just shown.`,
    });
  return name;
}

/** From a hidden prompt in a terminal, else all of stdin without its last line end. */
export async function valueFor({ stdin }: Pick<Call, 'stdin'>, name: string): Promise<string> {
  if (stdin.isTTY === true) return hiddenAnswer(`Value of ${name} (it is not shown): `);
  return (await readAll(stdin)).replace(/\r?\n$/, '');
}

/** Changes the vault, then writes down that it changed; says both. */
export async function changeSecret(
  call: Call,
  name: string,
  how: (contents: VaultContents) => Changed,
  made: { passphrase?: string } = {},
): Promise<number> {
  assertSetUp(call);
  const vault = await vaultOf(call.home);
  let change: SecretChange | undefined;
  const { newKey } = await vault.change((contents) => {
    const changed = how(contents);
    change = { name, ...changed.change };
    return changed.contents;
  }, made);
  if (change === undefined) throw new OkaError('refused', 'nothing was changed');
  const recorded = await record(call, change);
  if (call.json) call.out(`${JSON.stringify({ ...change, new_key: newKey, recorded })}\n`);
  else call.out(`${sentenceOf(change)}\n${newKey === null ? '' : aboutKey(newKey)}`);
  return exits.ok;
}

export function assertSetUp({ home }: Call): void {
  if (!isSetUp(home))
    throw new OkaError('not-set-up', `${home.dir} is not set up`, { fix: `Run: oka init --dir ${home.dir}` });
}

/** A worker that holds the pen sees for itself that the vault has changed, and writes it down. */
async function record({ home, err }: Call, change: SecretChange): Promise<'here' | 'by the worker' | 'not'> {
  if (penHolder(home.ledgers.run) !== null) return 'by the worker';
  try {
    const stores = await openStores(home, await loadConfig(home));
    try {
      await stores.ledger.append({ type: 'secret.changed', data: change });
    } finally {
      await stores.close();
    }
    return 'here';
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    err(`oka: the vault was changed, but the ledger does not say so: ${error.message}\n`);
    return 'not';
  }
}

function sentenceOf({ name, version, change }: SecretChange): string {
  return change === 'removed' ? `${name} was removed.` : `${name} was ${change} (version ${version}).`;
}

function aboutKey(file: string): string {
  return `A new key was made: ${file}\nKeep a copy of it in a safe place: without it nobody can open the vault again.\n`;
}
