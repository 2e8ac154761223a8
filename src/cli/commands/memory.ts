import { listDays } from '../../memory/recall/search-memory.ts';
import { KINDS } from '../../memory/index/item.ts';
import type { Recall } from '../../memory/recall/recall.ts';
import { type Call, exits } from '../command.ts';
import { remembering } from '../memory.ts';
import { bold, count, dim } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const stats = await remembering(call, statsOf);
  if (call.json) call.out(`${JSON.stringify(stats)}\n`);
  else {
    const { pieces, facts, days, searched } = stats;
    call.out(`${bold('memory')}  ${count(pieces.all, 'piece')}, searched by ${searched}\n`);
    call.out(`  episodes  ${count(pieces.all - pieces.fact, 'piece')} of ${count(days, 'day')}\n`);
    call.out(
      `            ${dim(
        KINDS.filter((kind) => kind !== 'fact')
          .map((kind) => `${kind} ${pieces[kind]}`)
          .join(', '),
      )}\n`,
    );
    call.out(`  facts     ${count(facts.now, 'fact')}, ${facts.superseded} superseded, ${facts.expired} expired\n`);
  }
  return exits.ok;
}

async function statsOf(recall: Recall) {
  const { kinds, gone } = recall.corpus.now;
  const counts = KINDS.map((_, kind) => kinds.filter((each, at) => each === kind && !gone[at]).length);
  const facts = [...recall.facts.values()].map(({ fact }) => fact);
  const isExpired = ({ expires }: { expires?: string | undefined }): boolean =>
    expires !== undefined && Date.parse(expires) <= Date.now();
  const current = facts.filter(({ superseded_by: by }) => by === undefined);
  return {
    pieces: {
      all: counts.reduce((sum, each) => sum + each, 0),
      ...(Object.fromEntries(KINDS.map((kind, index) => [kind, counts[index] ?? 0])) as Record<
        (typeof KINDS)[number],
        number
      >),
    },
    facts: {
      now: current.filter((fact) => !isExpired(fact)).length,
      superseded: facts.length - current.length,
      expired: current.filter(isExpired).length,
    },
    days: listDays(recall).length,
    read: { run: recall.shelf.cursor('run')?.seq ?? 0, maintenance: recall.shelf.cursor('maintenance')?.seq ?? 0 },
    searched: (await recall.meant.ready(recall.corpus.now)) === null ? 'words' : 'words and meaning',
  };
}
