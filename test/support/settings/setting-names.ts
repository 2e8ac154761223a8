/** The settings of config.json, those of every room, by the path that messages name them with. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Schema = { properties?: Record<string, Schema>; anyOf?: Schema[]; oneOf?: Schema[]; default?: unknown };

const file = join(import.meta.dirname, '../../../share/home/rules/config.schema.json');

/** Each with its default, where it has one. */
export const settings: ReadonlyMap<string, unknown> = new Map(
  settingsIn(JSON.parse(readFileSync(file, 'utf8')) as Schema, ''),
);

function settingsIn(schema: Schema, path: string): [string, unknown][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const name = path === '' ? key : `${path}.${key}`;
    const inner = [value, ...(value.anyOf ?? []), ...(value.oneOf ?? [])].filter((each) => each.properties);
    return inner.length === 0 ? [[name, value.default]] : inner.flatMap((each) => settingsIn(each, name));
  });
}
