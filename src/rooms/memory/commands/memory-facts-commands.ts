/** Facts. */
import { findFact, listFacts } from '../facts-query.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Fact } from '../../../core/schema/memory.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { flag, text } from '../../../kit/cli/options.ts';

const namespace = text('NAME', 'Only of this namespace, or into it.');

export const commands: Commands = {
  'memory fact get': command({
    summary: 'Show a fact and where it is known from',
    operands: '<fact>',
    example: 'oka memory fact get fact-1a2b3c4d5e',
    run: memoryFactGet,
    render: (fact, { bold }) => {
      const lines = [
        bold(plainText(fact.text)),
        `  ${fact.namespace}, importance ${fact.importance}, confidence ${fact.confidence}, from ${fact.source}`,
        ...(fact.expires === undefined ? [] : [`  valid until ${fact.expires}`]),
        ...(fact.superseded_by === undefined ? [] : [`  superseded by ${fact.superseded_by}`]),
        ...fact.evidence.map(({ run: id, seq }) => `  known from event ${seq}${id === null ? '' : ` of ${id}`}`),
      ];
      return `${lines.join('\n')}\n`;
    },
  }),
  'memory fact list': command({
    summary: 'List the facts that are valid',
    options: { namespace, all: flag('Also those that are superseded or expired.') },
    example: 'oka memory fact list --namespace standing',
    run: async (call) => {
      await requireHome(call.home);
      return answer({ facts: await readViews(call, (rows) => listFacts(rows, call.options, Date.now())) });
    },
    render: ({ facts }, terminal) => {
      if (facts.length === 0) return 'No facts are known.\n';
      const style = terminal.dim;
      return renderColumns(
        facts,
        [
          { text: ({ id }) => id, width: 16, style },
          { text: ({ namespace }) => namespace, width: 12, style },
          { text: ({ importance }) => importance.toFixed(2), style },
          { text: ({ text }) => text, grows: true },
        ],
        terminal,
      );
    },
  }),
};

async function memoryFactGet(call: Call): Promise<Answer<Fact>> {
  const id = onlyOperand(call, 'the name of a fact');
  await requireHome(call.home);
  const fact = await readViews(call, (rows) => findFact(rows, id));
  if (fact === undefined)
    throw new OkaError('usage', `there is no fact "${id}"`, { fix: 'List the facts: oka memory fact list' });
  return answer(fact);
}
