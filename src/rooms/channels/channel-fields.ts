/** What a new channel is made of: the options of all kinds, what is still missing, and the entry of channels.json. Pure. */
import { OkaError } from '../../core/schema/errors.ts';
import type { Json } from '../../core/schema/json.ts';
import { type Options, text, texts } from '../../kit/cli/options.ts';
import type { ChannelDefinition, Field, Given } from './channel-definition.ts';
import { channelKinds } from './channel-kinds.ts';

/** What was given so far, by field, with or without `secret:` before the names of secrets. */
export type ChannelFields = Readonly<Record<string, string | readonly string[] | undefined>>;

export type NamedField = Field & { readonly name: string };

const fieldsOf = (kind: ChannelDefinition): NamedField[] =>
  Object.entries(kind.fields).map(([name, field]) => ({ ...field, name }));

/** The fields of all kinds as options of one command; each says which kinds take it. */
export function fieldOptions(): Options {
  const options: Record<string, Options[string]> = {};
  const all = channelKinds.flatMap((kind) => fieldsOf(kind).map((field) => ({ ...field, kind: kind.kind })));
  for (const { name, value, isList } of all) {
    if (value === null) continue;
    const abouts = Map.groupBy(
      all.filter((each) => each.name === name),
      ({ about }) => about,
    );
    const about = [...abouts].map(([words, by]) => `${by.map(({ kind }) => kind).join(', ')}: ${words}`).join(' ');
    options[name] ??= isList === true ? texts(value, about) : text(value, about);
  }
  return options;
}

/** The fields of a kind that can be asked for, were not given and mean something now. */
export const openFields = (kind: ChannelDefinition, given: ChannelFields): NamedField[] =>
  fieldsOf(kind).filter(
    ({ name, ask, beside }) =>
      ask !== undefined && isEmpty(given[name]) && (beside === undefined || !isEmpty(given[beside])),
  );

const isEmpty = (value: ChannelFields[string]): boolean => value === undefined || value.length === 0;

/** The entry of channels.json; what is wrong with its values, its schema says. */
export function toChannelEntry(kind: ChannelDefinition, given: ChannelFields, isTitleOnly: boolean): Json {
  const unknown = Object.keys(given).find((name) => !isEmpty(given[name]) && !(name in kind.fields));
  if (unknown !== undefined)
    throw new OkaError('usage', `a channel of the kind ${kind.kind} takes no ${optionOf(unknown)}`);
  const entry = kind.entryOf(asGiven(kind, given));
  return Object.fromEntries(
    Object.entries({ kind: kind.kind, ...entry, content: isTitleOnly ? 'title' : undefined }).flatMap(
      ([name, value]) => (value === undefined ? [] : [[name, value]]),
    ),
  );
}

/** How a field is written on the command line. */
export const optionOf = (name: string): string => (name === 'command' ? '-- and the program' : `--${name}`);

/** Lists are lists, and names of secrets are written as channels.json has them. */
const asGiven = (kind: ChannelDefinition, given: ChannelFields): Given =>
  Object.fromEntries(
    fieldsOf(kind).map(({ name, isList, isSecret }) => {
      const value = given[name] ?? (isList === true ? [] : undefined);
      return [name, isSecret === true && typeof value === 'string' ? `secret:${nameOf(value)}` : value];
    }),
  );

const nameOf = (secret: string): string => secret.replace(/^secret:/, '');

/** Secrets that the channel uses, with the hosts that they are sent to. */
export function channelSecrets(kind: ChannelDefinition, given: ChannelFields): { name: string; hosts: string[] }[] {
  const names = fieldsOf(kind).flatMap(({ name, isSecret }) => {
    const value = given[name];
    return isSecret === true && typeof value === 'string' ? [value] : [];
  });
  const hosts = names.length === 0 ? [] : [...(kind.hostsOf?.(asGiven(kind, given)) ?? [])];
  return hosts.length === 0 ? [] : names.map((name) => ({ name, hosts }));
}
