/** What the commands about secrets have in common: reading a value, changing the vault, and recording the change. */
import { text as readAll } from 'node:stream/consumers';
import { hiddenAnswer } from '../vault/hidden-prompt.ts';
import { recordSecretChange } from '../policy/record-secret-change.ts';
import { type SecretChange, vaultOf } from '../vault/home-vault.ts';
import { penHolder } from '../../core/ledger/pen.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { VaultContents } from '../../core/schema/secret.ts';
import { type Answer, answer, type Call } from './command-module.ts';
import type { Dialog } from './dialog.ts';
import { requireHome } from './require-home.ts';
import { withValue } from '../vault/vault-contents.ts';

type Changed = { contents: VaultContents; change: Omit<SecretChange, 'name'> };

/** The name, and nothing else: other users can read what is on a command line. */
export function onlyName({ operands }: Pick<Call, 'operands'>): string {
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

type SecretAnswer = SecretChange & { new_key: string | null; recorded: 'here' | 'by the worker' | 'not' };

/** Changes the vault, then records in the ledger that it changed. */
export async function changeSecret(
  call: Pick<Call, 'home' | 'notify' | 'signal'>,
  name: string,
  how: (contents: VaultContents) => Changed,
  made: { passphrase?: string } = {},
): Promise<Answer<SecretAnswer> & { data: SecretAnswer }> {
  await requireHome(call.home);
  const vault = await vaultOf(call.home);
  let change: SecretChange | undefined;
  const { newKey } = await vault.change((contents) => {
    const changed = how(contents);
    change = { name, ...changed.change };
    return changed.contents;
  }, made);
  if (change === undefined) throw new OkaError('refused', 'nothing was changed');
  const data = { ...change, new_key: newKey, recorded: await recordChange(call, change) };
  return { ...answer(data), data };
}

/** Asks for a secret and puts it into the vault, for this tool and these hosts; Enter leaves it for later. */
export async function askSecret(
  call: Pick<Call, 'home' | 'notify' | 'signal'>,
  { name, tool, hosts }: { name: string; tool: string; hosts: string[] },
  dialog: Dialog,
): Promise<boolean> {
  const value = await dialog.askHidden(`Value of ${name} (it is not shown; Enter if it is in the vault already): `);
  if (value === '') return false;
  const rules = { tools: [tool], hosts, commands: [] };
  const { data } = await changeSecret(call, name, (contents) => {
    const after = withValue(contents, name, value, new Date().toISOString(), rules);
    return { contents: after, change: { version: after.secrets[name]?.version ?? 1, change: 'set' } };
  });
  dialog.print(renderSecretChange(data));
  return true;
}

export function renderSecretChange({ name, version, change, new_key: key }: SecretAnswer): string {
  const sentence = change === 'removed' ? `${name} was removed.` : `${name} was ${change} (version ${version}).`;
  if (key === null) return `${sentence}\n`;
  return `${sentence}\nA new key was made: ${key}\nStore a copy of it in a safe place: without it nobody can open the vault again.\n`;
}

/** A running worker detects that the vault has changed, and records it. */
export async function recordChange(
  call: Pick<Call, 'home' | 'notify' | 'signal'>,
  change: SecretChange,
): Promise<SecretAnswer['recorded']> {
  const { home, notify } = call;
  const holder = penHolder(home.ledgers.run);
  if (holder !== null && holder.brief !== true) return 'by the worker';
  try {
    await recordSecretChange(call, change);
    return 'here';
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    notify(`oka: the vault was changed, but the ledger does not say so: ${error.message}`);
    return 'not';
  }
}
