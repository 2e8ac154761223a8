import type { Recall } from '../../memory/recall/recall.ts';
import { renderColumns } from '../columns.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { withRecall } from '../memory-access.ts';

type Options = { namespace: string | undefined; all: boolean };
type StoredFact = NonNullable<ReturnType<Recall['facts']['get']>>['fact'];
type Data = { facts: StoredFact[] };

export async function run({ home, options }: Call<Options>): Promise<Answer<Data>> {
  const { namespace, all } = options;
  const known = await withRecall(home, (recall) => [...recall.facts.values()].map(({ fact }) => fact));
  const facts = known
    .filter((fact) => (all || isCurrent(fact)) && (namespace === undefined || fact.namespace === namespace))
    .toSorted((a, b) =>
      a.namespace === b.namespace ? b.importance - a.importance : a.namespace < b.namespace ? -1 : 1,
    );
  return answer({ facts });
}

const isCurrent = ({ superseded_by: by, expires }: StoredFact): boolean =>
  by === undefined && (expires === undefined || Date.parse(expires) > Date.now());

export function render({ facts }: Data, terminal: Terminal): string {
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
}
