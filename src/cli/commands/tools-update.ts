import { peek } from '../../ledger/peek.ts';
import { OkaError } from '../../schema/errors.ts';
import { dependencies, type Installed } from '../../tools/deps/kept.ts';
import { type Call, exits } from '../command.ts';
import { requestTools } from '../tool-requests.ts';

export async function run(call: Call): Promise<number> {
  const { state } = await peek(call.home.ledgers.run, call.home.oka, dependencies);
  const { operands } = call;
  const all = Object.entries(state.installed);
  const unknown = operands.find((name) => !all.some(([id, tool]) => id === name || tool.name === name));
  if (unknown !== undefined)
    throw new OkaError('usage', `"${unknown}" is not installed`, { fix: 'See what is: oka tools list' });
  const wanted = all.filter(
    ([id, { name, by }]) =>
      by !== 'binary' && (operands.length === 0 || operands.includes(id) || operands.includes(name)),
  );
  if (wanted.length > 0)
    return requestTools(
      call,
      wanted.map(([, tool]) => ({ kind: 'install', what: newest(tool) })),
    );
  call.out(call.json ? '{"updated":[]}\n' : 'There is nothing to update.\n');
  return exits.ok;
}

/** The newest that is old enough: the policy keeps too young ones out. */
function newest({ by, name, version }: Installed): string {
  return by === 'node' ? `node:${name}@latest` : `python:${name}>=${version}`;
}
