/** `oka chat view --since` in a conversation of 100,000 messages, against starting Node and nothing else. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { newChatId } from '../../src/rooms/chat/model/chat-ids.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { viewFolds } from '../../src/kit/house/open-views.ts';
import { viewsFile } from '../../src/kit/rows/views-writer.ts';
import { FoldStore } from '../../src/core/ledger/fold-store.ts';
import { catchUp, LARGE_BATCH } from '../../src/core/ledger/follower.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { type Figure, median } from '../figure.ts';
import { memoryFolder, storesIn, temporaryHome } from '../support/home.ts';

const MESSAGES = Number(process.env['OKA_BENCH_MESSAGES'] ?? 100_000);
const TIMES = 9;
const NEW = 10;

export async function measureViewSince(note: (text: string) => void): Promise<Figure[]> {
  using temporary = temporaryHome(memoryFolder);
  const { home } = temporary;
  const since = await fillConversation(home);
  const view = [
    join(import.meta.dirname, '../../bin/oka'),
    'chat',
    'view',
    'long',
    '--since',
    since,
    '--dir',
    home.dir,
  ];
  // In turns, so that a noisy moment hits both.
  const times = Array.from({ length: TIMES }, () => ({ node: timeOf(['-e', '0'], 0), oka: timeOf(view, NEW) }));
  const [node, oka] = [median(times.map((each) => each.node)), median(times.map((each) => each.oka))];
  note(`oka chat view --since at ${MESSAGES} messages: ${oka.toFixed(0)} ms; an empty node: ${node.toFixed(0)} ms`);
  const about = `oka chat view --since at ${MESSAGES} messages against an empty node`;
  return [{ name: 'chat_view_since', value: oka / node, unit: '×', bar: { most: 3 }, about }];
}

/** Returns the id behind which there are `NEW` messages. */
async function fillConversation(home: Home): Promise<string> {
  setUp(home);
  const stores = await storesIn(home, { now: () => undefined, later: async () => undefined });
  const conversation = newChatId();
  stores.ledger.stage({ type: 'chat.opened', data: { conversation, name: 'long' } });
  const ids = Array.from({ length: MESSAGES }, () => newChatId());
  for (const [at, message] of ids.entries()) {
    const who = at % 2 === 0 ? { from: 'user', kind: 'person' as const } : { from: 'oka', kind: 'agent' as const };
    const content = `message ${at}: where do we stay, and who asks the hotel?`;
    stores.ledger.stage({
      type: 'message.posted',
      data: { conversation, message, ...who, content, depth: 0, chain: message },
    });
    if (at % 1000 === 999) await stores.ledger.flush();
  }
  await stores.ledger.flush();
  await stores.close();
  const { folds, shape } = await viewFolds();
  const store = FoldStore.open(viewsFile(home), shape);
  await catchUp(store, { ledgers: home.ledgers, folds }, { batch: LARGE_BATCH });
  store.close();
  return ids.at(-1 - NEW) ?? '';
}

function timeOf(words: readonly string[], lines: number): number {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  const taken = performance.now() - start;
  if (status !== 0 || stdout.split('\n').length - 1 !== lines) throw new Error(`it failed: ${stdout}${stderr}`);
  return taken;
}
