import { type Call, exits } from '../command.ts';
import { ask, remembering, saidDone } from '../memory.ts';
import { count } from '../terminal.ts';

const AT_ONCE = 1000;

export async function run(call: Call): Promise<number> {
  const facts = await remembering(call, (recall) => [...recall.facts.values()].map(({ fact }) => fact));
  const over = facts.filter(({ expires }) => expires !== undefined && Date.parse(expires) <= Date.now());
  const ids = over.map(({ id }) => id).slice(0, AT_ONCE);
  if (ids.length === 0) {
    call.out(call.json ? `${JSON.stringify({ forgot: [] })}\n` : 'No fact has expired.\n');
    return exits.ok;
  }
  const asked = await ask(call, { kind: 'forget', facts: ids, why: 'expired' });
  saidDone(call, asked, `Forgot ${count(ids.length, 'expired fact')}.`, { forgot: ids });
  return exits.ok;
}
