/** Owns: the fold of which call was given which secret. */
import type { SecretUse } from '../schema/view-answers.ts';
import type { Rows } from '../schema/rows.ts';
import type { View } from '../schema/view.ts';
import { seqKey } from './run-rows.ts';

const allPrefix = 'secret/all/';
const namePrefix = (name: string): string => `secret/name/${name}/`;

export const secretView: View = {
  name: 'secret',
  version: 1,
  types: ['secret.used'],
  take: ({ event }, rows) => {
    if (event.type !== 'secret.used') return;
    const { at, run, data } = event;
    const use: SecretUse = { at, run, ...data };
    rows.put(allPrefix + seqKey(event.seq), use);
    rows.put(namePrefix(data.name) + seqKey(event.seq), use);
  },
};

/** The last uses, the latest last; limit 0 for all. */
export function secretUse(rows: Rows, { name, limit }: { name?: string | undefined; limit: number }): SecretUse[] {
  const prefix = name === undefined ? allPrefix : namePrefix(name);
  const latest = rows.each<SecretUse>(prefix, { reverse: true, ...(limit === 0 ? {} : { limit }) });
  return [...latest].map(([, use]) => use).toReversed();
}
