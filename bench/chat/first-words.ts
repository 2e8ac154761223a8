/** How long the first word of an answer takes from the provider to a real terminal, against a bare client of the same server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { openPseudoTerminal } from '../../test/support/pseudo-terminal.ts';
import { openStory } from '../../test/support/story.ts';
import { say } from '../../test/support/wire-server-reply.ts';
import { type Figure, median } from '../figure.ts';

const TIMES = 15;
/** Words of five letters, none of which is in what a person types or reads otherwise. */
const wordOf = (round: number): string => `Q${'abcdefghijklmnopqrstuvwxyz'[round] ?? 'z'}xqz`;

export async function measureFirstWords(note: (text: string) => void): Promise<Figure[]> {
  let [sentAt, word] = [0, ''];
  await using story = await openStory({
    model: () => {
      sentAt = performance.now();
      return say(`${word} and some more words of an answer, until it ends.`);
    },
  });
  story.work();
  await story.until('the worker', async () => penHolder(story.home.ledgers.run) ?? undefined);
  await using terminal = openPseudoTerminal(['chat', 'new', 'words', '--dir', story.home.dir]);
  await terminal.shows('›');
  const times: { terminal: number; bare: number }[] = [];
  for (let round = 0; round < TIMES; round += 1) {
    word = wordOf(round);
    const bare = await bareTime(`${story.model.url}/v1/chat/completions`, word, () => sentAt);
    terminal.type(`round ${round}\r`);
    while (!terminal.written().includes(word)) await sleep(1);
    times.push({ terminal: performance.now() - sentAt, bare });
    await sleep(700); // the reply settles before the next one
  }
  const [shown, bare] = [median(times.map((each) => each.terminal)), median(times.map((each) => each.bare))];
  note(`the first word: ${shown.toFixed(1)} ms to the terminal, ${bare.toFixed(1)} ms to a bare client`);
  return [
    {
      name: 'chat_first_word_ms',
      value: shown - bare,
      unit: 'ms',
      bar: { most: 50 },
      about: `first word on the terminal later than at a bare client (${(shown / bare).toFixed(1)} ×)`,
    },
  ];
}

/** A request as small as one can be, until the word is there. */
async function bareTime(url: string, word: string, sentAt: () => number): Promise<number> {
  const body = JSON.stringify({ model: 'story', stream: true, messages: [{ role: 'user', content: 'hello' }] });
  const response = await fetch(url, { method: 'POST', body });
  let [text, at] = ['', 0];
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (at === 0 && text.includes(word)) at = performance.now() - sentAt();
  }
  return at;
}
