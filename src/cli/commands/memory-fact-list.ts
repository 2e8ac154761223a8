import { type Call, exits } from '../command.ts';
import { remembering } from '../memory.ts';
import { dim, fitted, plain, WIDTH } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const namespace = call.text('namespace');
  const all = call.flag('all');
  const known = await remembering(call, (recall) => [...recall.facts.values()].map(({ fact }) => fact));
  const isCurrent = (fact: (typeof known)[number]): boolean =>
    fact.superseded_by === undefined && (fact.expires === undefined || Date.parse(fact.expires) > Date.now());
  const facts = known
    .filter((fact) => (all || isCurrent(fact)) && (namespace === undefined || fact.namespace === namespace))
    .toSorted((a, b) =>
      a.namespace === b.namespace ? b.importance - a.importance : a.namespace < b.namespace ? -1 : 1,
    );
  if (call.json) call.out(`${JSON.stringify({ facts })}\n`);
  else if (facts.length === 0) call.out('No facts are known.\n');
  else
    for (const fact of facts) {
      const head = `${fitted(fact.id, 16).padEnd(16)}  ${fitted(fact.namespace, 12).padEnd(12)}  ${fact.importance.toFixed(2)}  `;
      call.out(`${dim(head)}${fitted(plain(fact.text), WIDTH - head.length)}\n`);
    }
  return exits.ok;
}
