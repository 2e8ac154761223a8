import { openRecall } from '../open-recall.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { count } from '../../../kit/cli/plain-text.ts';

type Data = { rebuilt: 'index'; events: number; pieces: number };

export async function run({ home, signal }: Call): Promise<Answer<Data>> {
  const recall = await openRecall(home);
  try {
    const events = await recall.rebuild();
    await recall.embedAll(signal);
    return answer({ rebuilt: 'index', events, pieces: recall.corpus.now.alive });
  } finally {
    await recall.close();
  }
}

export const render = ({ events, pieces }: Data): string =>
  `The memory index was rebuilt from ${count(events, 'event')}: ${count(pieces, 'entry', 'entries')}.\n`;
