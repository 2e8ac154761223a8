/** What it costs to build the prompt of a reply in a conversation of 10,000 messages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatIds } from '../../src/rooms/chat/model/chat-ids.ts';
import { describeAgent, describeAsked, showConversation } from '../../src/rooms/chat/model/chat-prompt.ts';
import { latestMessages, listMessages } from '../../src/rooms/chat/model/chat-queries.ts';
import { defaultOka } from '../../src/kit/agents/home-agents.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../src/kit/settings.ts';
import { openStores } from '../../src/kit/house/stores.ts';
import { openRowsReader, rebuildViews } from '../../src/kit/house/open-views.ts';
import type { NewEvent } from '../../src/core/schema/event.ts';
import type { Figure } from '../figure.ts';

const MESSAGES = 10_000;
const BATCH = 500;
const ROUNDS = 200;
const CONVERSATION = 'c-long';

export async function measurePrompt(note: (text: string) => void): Promise<Figure[]> {
  const home = homeAt(mkdtempSync(join(tmpdir(), 'oka-bench-chat-')));
  try {
    setUp(home);
    const last = await writeMessages(home);
    note(`${MESSAGES} messages`);
    await rebuildViews(home);
    const reader = openRowsReader(home);
    const [times, lengths]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const began = performance.now();
      lengths.push(await reader.read((rows) => promptLength(latestMessages(rows, CONVERSATION, { limit: 600 }))));
      times.push(performance.now() - began);
    }
    const since = await timed(() => reader.read((rows) => listMessages(rows, 'long', { since: last, limit: 100 })));
    await reader.close();
    return [
      {
        name: 'chat_prompt_p99',
        value: times.toSorted((a, b) => a - b)[Math.floor(ROUNDS * 0.99)] ?? 0,
        unit: 'ms',
        bar: { most: 150 },
        about: `the prompt of a reply is built, of ${MESSAGES} messages`,
      },
      {
        name: 'chat_prompt_length',
        value: Math.max(...lengths),
        unit: 'chars',
        bar: { most: 60_000 },
        about: 'its length',
      },
      { name: 'chat_since', value: since, unit: 'ms', about: 'messages behind a given one' },
    ];
  } finally {
    rmSync(home.dir, { recursive: true, force: true });
  }
}

function promptLength(messages: ReturnType<typeof latestMessages>): number {
  const [asked] = messages.slice(-1);
  const conversation = showConversation({ name: 'long', members: ['oka'], messages });
  return `${describeAgent(defaultOka(), [])}${conversation}${asked === undefined ? '' : describeAsked(asked, messages)}`
    .length;
}

/** Returns the id of the message before the last. */
async function writeMessages(home: ReturnType<typeof homeAt>): Promise<string> {
  const stores = await openStores(home, await loadConfig(home), 'run');
  const newId = chatIds();
  let [previous, latest] = ['', ''];
  await stores.ledger.append({ type: 'chat.opened', data: { conversation: CONVERSATION, name: 'long' } });
  for (let from = 0; from < MESSAGES; from += BATCH) {
    const events = Array.from({ length: BATCH }, (_, index): NewEvent => {
      [previous, latest] = [latest, newId()];
      const isPerson = (from + index) % 2 === 0;
      const text = `Message ${from + index}: we decided to use steel. ${'Some more words about it. '.repeat(20)}`;
      const who = isPerson ? ({ from: 'user', kind: 'person' } as const) : ({ from: 'oka', kind: 'agent' } as const);
      const data = { conversation: CONVERSATION, message: latest, ...who, content: text, depth: 0, chain: latest };
      return { type: 'message.posted', data };
    });
    await stores.ledger.append(events);
  }
  await stores.close();
  return previous;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
