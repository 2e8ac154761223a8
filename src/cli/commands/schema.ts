import { OkaError } from '../../schema/errors.ts';
import { catalog, jsonSchemaOf } from '../../schema/catalog.ts';
import { type Call, exits } from '../command.ts';
import { nearestWord } from '../../schema/nearest-word.ts';

export async function run({ operands, json, out }: Call): Promise<number> {
  const names = Object.keys(catalog);
  const [name] = operands;
  if (name === undefined) {
    out(
      json
        ? `${JSON.stringify(names)}\n`
        : names.map((each) => `${each.padEnd(24)}${catalog[each]?.description ?? ''}\n`).join(''),
    );
    return exits.ok;
  }
  const schema = Object.hasOwn(catalog, name) ? catalog[name] : undefined;
  if (schema === undefined) {
    const guess = nearestWord(name, names);
    throw new OkaError('usage', `there is no schema "${name}"`, {
      fix: guess === null ? 'See: oka schema' : `Did you mean: oka schema ${guess}`,
    });
  }
  out(`${JSON.stringify(jsonSchemaOf(schema), null, 2)}\n`);
  return exits.ok;
}
