import { KINDS } from '../index/index-item.ts';
import type { Recall } from '../recall/recall.ts';
import { listDays } from '../recall/search-memory.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { withRecall } from '../memory-access.ts';
import { count } from '../../../kit/cli/plain-text.ts';

type Data = Awaited<ReturnType<typeof statsOf>>;

export async function run({ home }: Call): Promise<Answer<Data>> {
  return answer(await withRecall(home, statsOf));
}

export function render({ pieces, facts, days, searched }: Data, { bold, dim }: Terminal): string {
  const kinds = KINDS.filter((kind) => kind !== 'fact').map((kind) => `${kind} ${pieces[kind]}`);
  const lines = [
    `${bold('memory')}  ${count(pieces.all, 'entry', 'entries')}, searched by ${searched}`,
    `  episodes  ${count(pieces.all - pieces.fact, 'entry', 'entries')} of ${count(days, 'day')}`,
    `            ${dim(kinds.join(', '))}`,
    `  facts     ${count(facts.now, 'fact')}, ${facts.superseded} superseded, ${facts.expired} expired`,
  ];
  return `${lines.join('\n')}\n`;
}

async function statsOf(recall: Recall) {
  const { kinds, gone, size } = recall.corpus.now;
  const present = kinds.subarray(0, size).filter((_, at) => gone[at] === 0);
  const counts = KINDS.map((_, kind) => present.filter((each) => each === kind).length);
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
    read: { run: recall.store.cursor('run').seq, maintenance: recall.store.cursor('maintenance').seq },
    searched: (await recall.semantic.ready(recall.corpus.now)) === null ? 'words' : 'words and meaning',
  };
}
