import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { ask, remembering, saidDone } from '../memory.ts';
import { onlyOperand } from '../operands.ts';

export async function run(call: Call): Promise<number> {
  const id = onlyOperand(call, 'the name of a fact');
  if (!(await remembering(call, (recall) => recall.facts.has(id))))
    throw new OkaError('usage', `there is no fact "${id}"`, { fix: 'See which there are: oka memory fact list' });
  const asked = await ask(call, { kind: 'forget', facts: [id], why: 'deleted' });
  saidDone(call, asked, `Forgot ${id}; the ledger still says that it was known.`, { forgot: [id] });
  return exits.ok;
}
