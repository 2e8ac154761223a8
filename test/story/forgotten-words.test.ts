import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { say } from '../support/wire-server-reply.ts';

/** Rare words, each said in one place only. */
const [TOWN, TEA, FLOWER] = ['Quillonbridge', 'Zarabamba', 'Wistromelia'];

/** The files below .oka that have a word, but for the ledgers and what they refer to. */
function filesWith(oka: string, word: string): string[] {
  const files = readdirSync(oka, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map((entry) => relative(oka, join(entry.parentPath, entry.name)))
    .filter((name) => !/_ledger(?:\.\w+)*\.jsonl|^(?:artifacts|archive|ledger)\b/.test(name))
    .filter((name) => readFileSync(join(oka, name)).toString('latin1').toLowerCase().includes(word.toLowerCase()))
    .toSorted();
}

describe('what is to be forgotten', { timeout: 240_000 }, () => {
  it('leaves no byte of it: a conversation that is deleted or switched off, and a fact', async () => {
    await using story = await openStory({ config: { memory: { vectors: false } }, model: () => say('I do not know.') });
    const { oka } = story.home;
    const run = async (...words: string[]): Promise<string> => (await story.oka(...words)).out;
    story.work();
    await run('chat', 'new', 'teeth');
    await run('chat', 'new', 'garden');
    await run('chat', 'send', 'teeth', `My dentist is in ${TOWN}, appointments are on Thursdays at four`);
    await run('chat', 'send', 'teeth', `Remember that my dentist in ${TOWN} likes ${TEA} tea.`);
    await run('chat', 'send', 'garden', `I prefer ${FLOWER} over roses.`);
    await run('memory', 'fact', 'add', 'The plumber is called Vanderquist', '--id', 'plumber');
    await expect.poll(() => run('memory', 'retrieve', 'dentist')).toContain(TOWN);
    await expect.poll(() => run('memory', 'retrieve', 'roses')).toContain(FLOWER);
    await run('maintain', '--once');
    expect(await run('memory', 'daily', 'search', TOWN)).toContain('My dentist is in');
    expect(await run('memory', 'about')).toContain(FLOWER);
    expect(filesWith(oka, TOWN)).not.toEqual([]);
    await run('chat', 'delete', 'teeth', '--yes');
    await run('chat', 'memory', 'garden', 'off');
    await run('memory', 'forget', 'plumber');
    await run('maintain', '--once');
    expect(await run('memory', 'retrieve', 'dentist')).not.toContain(TOWN);
    expect(await run('memory', 'about')).not.toContain(FLOWER);
    // The worker takes requests in its own time, and a view leaves the log once nobody reads the state before any more.
    const left = (): string[] => {
      // The event in which a person stated a fact stays in the ledger, and so in the index of its words.
      const fact = filesWith(oka, 'Vanderquist').filter((file) => !file.startsWith('index/views.sqlite'));
      return [...filesWith(oka, TOWN), ...filesWith(oka, TEA), ...fact];
    };
    await expect.poll(left, { timeout: 60_000, interval: 500 }).toEqual([]);
    // The conversation whose memory is off is still there to be read, and nowhere else.
    const kept = filesWith(oka, FLOWER).filter((file) => !file.startsWith('index/views.sqlite'));
    expect(kept).toEqual([]);

    const before = story.model.requests.length;
    story.drop('ask.md', '---\nid: ask\n---\nWrite about my dentist, the tea, the roses and the plumber to ask.txt.\n');
    await story.ended('ask');
    const prompts = story.model.requests.slice(before).map(({ text }) => text);
    expect(prompts.length).toBeGreaterThan(0);
    for (const word of [TOWN, TEA, FLOWER, 'Vanderquist'])
      expect(prompts.filter((text) => text.includes(word))).toEqual([]);
  });
});
