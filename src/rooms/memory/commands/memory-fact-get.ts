import { findFact } from '../facts-query.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Fact } from '../../../core/schema/memory.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

export async function run(call: Call): Promise<Answer<Fact>> {
  const id = onlyOperand(call, 'the name of a fact');
  await requireHome(call.home);
  const fact = await readViews(call, (rows) => findFact(rows, id));
  if (fact === undefined)
    throw new OkaError('usage', `there is no fact "${id}"`, { fix: 'List the facts: oka memory fact list' });
  return answer(fact);
}

export function render(fact: Fact, { bold }: Terminal): string {
  const lines = [
    bold(plainText(fact.text)),
    `  ${fact.namespace}, importance ${fact.importance}, confidence ${fact.confidence}, from ${fact.source}`,
    ...(fact.expires === undefined ? [] : [`  valid until ${fact.expires}`]),
    ...(fact.superseded_by === undefined ? [] : [`  superseded by ${fact.superseded_by}`]),
    ...fact.evidence.map(({ run: id, seq }) => `  known from event ${seq}${id === null ? '' : ` of ${id}`}`),
  ];
  return `${lines.join('\n')}\n`;
}
