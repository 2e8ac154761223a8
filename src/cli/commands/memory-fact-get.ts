import type { Recall } from '../../memory/recall/recall.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { withRecall } from '../memory-access.ts';
import { onlyOperand } from '../operands.ts';
import { plainText } from '../plain-text.ts';

type Data = NonNullable<ReturnType<Recall['facts']['get']>>['fact'];

export async function run(call: Call): Promise<Answer<Data>> {
  const id = onlyOperand(call, 'the name of a fact');
  const fact = await withRecall(call.home, (recall) => recall.facts.get(id)?.fact);
  if (fact === undefined)
    throw new OkaError('usage', `there is no fact "${id}"`, { fix: 'List the facts: oka memory fact list' });
  return answer(fact);
}

export function render(fact: Data, { bold }: Terminal): string {
  const lines = [
    bold(plainText(fact.text)),
    `  ${fact.namespace}, importance ${fact.importance}, confidence ${fact.confidence}, from ${fact.source}`,
    ...(fact.expires === undefined ? [] : [`  valid until ${fact.expires}`]),
    ...(fact.superseded_by === undefined ? [] : [`  superseded by ${fact.superseded_by}`]),
    ...fact.evidence.map(({ run: id, seq }) => `  known from event ${seq}${id === null ? '' : ` of ${id}`}`),
  ];
  return `${lines.join('\n')}\n`;
}
