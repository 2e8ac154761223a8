import { openRecall } from '../../daemon/memory/open-recall.ts';
import { type Call, exits } from '../command.ts';
import { count } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  const recall = await openRecall(call.home);
  try {
    const events = await recall.rebuild();
    await recall.learnAll(call.signal);
    const pieces = recall.corpus.now.alive;
    call.out(
      call.json
        ? `${JSON.stringify({ rebuilt: 'index', events, pieces })}\n`
        : `The index was made again from ${count(events, 'event')}: ${count(pieces, 'piece')}.\n`,
    );
    return exits.ok;
  } finally {
    await recall.close();
  }
}
