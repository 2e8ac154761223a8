/** Owns: the fold of which secrets there are, by name, and which call was given which. Values are in no event. */
import type { EventType } from '../../core/schema/event.ts';
import type { KnownSecret, SecretUse } from '../../core/schema/view-answers.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { seqKey } from './run-rows.ts';

const allPrefix = 'secret/all/';
const namePrefix = (name: string): string => `secret/name/${name}/`;
const knownPrefix = 'secret/known/';
const types: readonly EventType[] = ['secret.used', 'secret.changed'];

export const secretView: View = {
  name: 'secret',
  version: 2,
  types,
  take: ({ event }, rows) => {
    if (event.type === 'secret.changed') {
      const { name, version, change } = event.data;
      rows.put(knownPrefix + name, { ...knownSecret(rows, name), version, change, changed: event.at });
    } else if (event.type === 'secret.used') {
      const { at, run, data } = event;
      const use: SecretUse = { at, run, ...data };
      rows.put(allPrefix + seqKey(event.seq), use);
      rows.put(namePrefix(data.name) + seqKey(event.seq), use);
      const known = knownSecret(rows, data.name);
      rows.put(knownPrefix + data.name, { ...known, version: data.version, uses: known.uses + 1, used: at });
    }
  },
};

/** The last uses, the latest last; limit 0 for all. */
export function secretUse(rows: Rows, { name, limit }: { name?: string | undefined; limit: number }): SecretUse[] {
  const prefix = name === undefined ? allPrefix : namePrefix(name);
  const latest = rows.each<SecretUse>(prefix, { reverse: true, ...(limit === 0 ? {} : { limit }) });
  return [...latest].map(([, use]) => use).toReversed();
}

/** Every secret that was changed or used, by name; also those that were removed. */
export const knownSecrets = (rows: Rows): KnownSecret[] =>
  [...rows.each<KnownSecret>(knownPrefix)].map(([, known]) => known);

const knownSecret = (rows: Rows, name: string): KnownSecret =>
  rows.get<KnownSecret>(knownPrefix + name) ?? { name, version: 1, change: null, changed: null, uses: 0, used: null };
