/** Owns: the dialog in which a person describes a channel, gives its secrets and has it tested. */
import type { Dialog } from '../../kit/cli/dialog.ts';
import type { ChannelDefinition } from './channel-definition.ts';
import { type ChannelFields, type NamedField, openFields } from './channel-fields.ts';
import { channelKinds } from './channel-kinds.ts';

export async function askKind(dialog: Dialog): Promise<ChannelDefinition> {
  dialog.print(channelKinds.map(({ label }, index) => `  ${index + 1}  ${label}\n`).join(''));
  for (;;) {
    const answer = (await dialog.ask(`Which kind? 1 to ${channelKinds.length}: `)).toLowerCase();
    const kind = channelKinds[Number(answer) - 1] ?? channelKinds.find((each) => each.kind === answer);
    if (kind !== undefined) return kind;
    dialog.print(`Please type a number from 1 to ${channelKinds.length}.\n`);
  }
}

/** Asks for what was not given; each field once, since an answer can make another one matter. */
export async function askFields(kind: ChannelDefinition, given: ChannelFields, dialog: Dialog): Promise<ChannelFields> {
  let fields = given;
  const asked = new Set<string>();
  for (;;) {
    const next = openFields(kind, fields).find(({ name }) => !asked.has(name));
    if (next === undefined) return fields;
    asked.add(next.name);
    fields = { ...fields, ...(await askField(next, dialog)) };
  }
}

async function askField(
  { name, value, ask = name, isNeeded, isList }: NamedField,
  dialog: Dialog,
): Promise<ChannelFields> {
  for (;;) {
    const answer = await dialog.ask(`${ask}${isNeeded === true ? '' : ' (Enter for none)'}: `);
    if (answer === '' && isNeeded !== true) return {};
    const words = answer.split(value === null ? /\s+/ : /[\s,;]+/).filter((word) => word !== '');
    if (answer !== '') return { [name]: isList === true ? words : answer };
  }
}
