/** Owns: the dialog in which a person describes a channel, gives its secrets and has it tested. */
import { withValue } from '../../kit/vault/vault-contents.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import type { Dialog } from '../../kit/cli/dialog.ts';
import {
  CHANNEL_KINDS,
  type ChannelFields,
  type ChannelKind,
  type Field,
  KIND_LABELS,
  openFields,
} from './channel-fields.ts';
import { changeSecret, renderSecretChange } from '../../kit/cli/secret-changes.ts';

export async function askKind(dialog: Dialog): Promise<ChannelKind> {
  dialog.print(CHANNEL_KINDS.map((kind, index) => `  ${index + 1}  ${KIND_LABELS[kind]}\n`).join(''));
  for (;;) {
    const answer = (await dialog.ask(`Which kind? 1 to ${CHANNEL_KINDS.length}: `)).toLowerCase();
    const kind = CHANNEL_KINDS[Number(answer) - 1] ?? CHANNEL_KINDS.find((each) => each === answer);
    if (kind !== undefined) return kind;
    dialog.print(`Please type a number from 1 to ${CHANNEL_KINDS.length}.\n`);
  }
}

/** Asks for what was not given; each field once, since an answer can make another one matter. */
export async function askFields(kind: ChannelKind, given: ChannelFields, dialog: Dialog): Promise<ChannelFields> {
  let fields = given;
  const asked = new Set<string>();
  for (;;) {
    const next = openFields(kind, fields).find(({ name }) => !asked.has(name));
    if (next === undefined) return fields;
    asked.add(next.name);
    fields = { ...fields, ...(await askField(next, dialog)) };
  }
}

async function askField({ name, ask, isNeeded }: Field, dialog: Dialog): Promise<Partial<ChannelFields>> {
  const isList = name === 'to' || name === 'sender' || name === 'command';
  for (;;) {
    const answer = await dialog.ask(`${ask}${isNeeded ? '' : ' (Enter for none)'}: `);
    if (answer === '' && !isNeeded) return {};
    const words = answer.split(name === 'command' ? /\s+/ : /[\s,;]+/).filter((word) => word !== '');
    if (answer !== '') return { [name]: isList ? words : answer };
  }
}

/** Puts a secret into the vault, for this channel and these hosts; Enter leaves it for later. */
export async function askSecret(
  call: Pick<Call, 'home' | 'notify' | 'signal'>,
  { channel, name, hosts }: { channel: string; name: string; hosts: string[] },
  dialog: Dialog,
): Promise<boolean> {
  const value = await dialog.askHidden(`Value of ${name} (it is not shown; Enter if it is in the vault already): `);
  if (value === '') return false;
  const rules = { tools: [`channels.${channel}`], hosts, commands: [] };
  const { data } = await changeSecret(call, name, (contents) => {
    const after = withValue(contents, name, value, new Date().toISOString(), rules);
    return { contents: after, change: { version: after.secrets[name]?.version ?? 1, change: 'set' } };
  });
  if (data !== undefined) dialog.print(renderSecretChange(data));
  return true;
}
