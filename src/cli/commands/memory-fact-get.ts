import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { remembering } from '../memory.ts';
import { onlyOperand } from '../operands.ts';
import { bold, plain } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const id = onlyOperand(call, 'the name of a fact');
  const fact = await remembering(call, (recall) => recall.facts.get(id)?.fact);
  if (fact === undefined)
    throw new OkaError('usage', `there is no fact "${id}"`, { fix: 'See which there are: oka memory fact list' });
  if (call.json) call.out(`${JSON.stringify(fact)}\n`);
  else {
    call.out(`${bold(plain(fact.text))}\n`);
    call.out(
      `  ${fact.namespace}, importance ${fact.importance}, confidence ${fact.confidence}, from ${fact.source}\n`,
    );
    if (fact.expires !== undefined) call.out(`  holds until ${fact.expires}\n`);
    if (fact.superseded_by !== undefined) call.out(`  superseded by ${fact.superseded_by}\n`);
    for (const { run, seq } of fact.evidence)
      call.out(`  known from event ${seq}${run === null ? '' : ` of ${run}`}\n`);
  }
  return exits.ok;
}
