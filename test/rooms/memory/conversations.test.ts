import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { buildPack } from '../../../src/rooms/memory/recall/build-pack.ts';
import { search } from '../../../src/rooms/memory/recall/search-memory.ts';
import type { Recall } from '../../../src/rooms/memory/recall/recall.ts';
import { memoryHome, recallOf } from '../../support/memory.ts';

const open = (more: object = {}): NewEvent => ({
  type: 'chat.opened',
  data: { conversation: 'c1', name: 'teeth', ttl: null, ...more },
});

let count = 0;
function message(content: string, more: object = {}): NewEvent {
  count += 1;
  const id = `1m7p${String(count).padStart(8, '0')}`;
  const data = { conversation: 'c1', message: id, from: 'user', kind: 'person', content, depth: 0, chain: id, ...more };
  return { type: 'message.posted', data } as NewEvent;
}
const answer = (content: string, more: object = {}): NewEvent =>
  message(content, { from: 'oka', kind: 'agent', ...more });

const DENTIST = 'My dentist is in Mill Lane, appointments are on Thursdays at four';

const texts = async (recall: Recall, query: string): Promise<string[]> =>
  (await search(recall, { query, limit: 10 })).found.map(({ kind, who, text }) => `${kind} ${who}: ${text}`);

const pack = (recall: Recall, role: 'planner' | 'executor', query: string): Promise<{ text: string }> =>
  buildPack(recall, { role, run: 'r9', node: null, query, model: null, given: [] });

describe('a conversation', () => {
  it('is remembered by its messages, each as its speaker’s', async () => {
    await using home = await memoryHome();
    await home.append(open(), message(DENTIST), answer('Noted: the dentist in Mill Lane, Thursdays at four.'));
    const recall = await recallOf(home);
    expect(await texts(recall, 'dentist')).toEqual([
      `said person: ${DENTIST}`,
      'replied oka: Noted: the dentist in Mill Lane, Thursdays at four.',
    ]);
    await recall.close();
  });

  it('gives a plan the person’s words as theirs, and an executor the agent’s as data', async () => {
    await using home = await memoryHome();
    await home.append(open(), message(DENTIST), answer('The dentist also works on Mondays, they say at the dentist.'));
    const recall = await recallOf(home);
    const planned = (await pack(recall, 'planner', 'Call my dentist for an appointment')).text;
    expect(planned).toContain(DENTIST);
    expect(planned).not.toContain('<data');
    expect(planned).not.toContain('Mondays');
    const worked = (await pack(recall, 'executor', 'Call my dentist for an appointment')).text;
    expect(worked.indexOf('<data')).toBeGreaterThan(-1);
    expect(worked.indexOf('Mondays')).toBeGreaterThan(worked.indexOf('<data'));
    await recall.close();
  });

  it('leaves nothing of the runs that wrote its replies, nor of replies that failed', async () => {
    await using home = await memoryHome();
    const graph = { id: 'g', sha256: 'a'.repeat(64) };
    const run = 'chat-1m7p00000001-oka';
    await home.append(
      open(),
      message('Which dentist?'),
      { type: 'run.started', run, data: { title: 'oka answers 1m7p00000001 in teeth', graph } },
      { type: 'run.ended', run, data: { status: 'done', reason: 'the dentist was named' } },
      answer('I could not answer: the dentist is busy', { status: 'failed' }),
    );
    const recall = await recallOf(home);
    expect(await texts(recall, 'dentist answers teeth')).toEqual(['said person: Which dentist?']);
    await recall.close();
  });

  it('drops an answer that the person objects to', async () => {
    await using home = await memoryHome();
    await home.append(open(), message('Where is my dentist?'), answer('Your dentist is in Oak Street.'));
    await home.append(message('No, that is wrong, the dentist is in Mill Lane.'));
    const recall = await recallOf(home);
    const found = await texts(recall, 'dentist');
    expect(found.join('\n')).toContain('Mill Lane');
    expect(found.join('\n')).not.toContain('Oak Street');
    await recall.close();
  });

  it.each<[string, NewEvent]>([
    ['deleted', { type: 'chat.deleted', data: { conversation: 'c1', why: 'person' } }],
    ['switched off', { type: 'chat.changed', data: { conversation: 'c1', memory: 'off' } }],
    [
      'cleared',
      { type: 'chat.expired', data: { conversation: 'c1', until: '1m7q00000000', messages: 2, why: 'cleared' } },
    ],
  ])('that is %s is forgotten, and what others say is not', async (_, end) => {
    await using home = await memoryHome();
    await home.append(open(), message(DENTIST), answer('The dentist, noted.'));
    await home.append(message('The dentist of my sister is in Bern', { conversation: 'c10' }));
    const recall = await recallOf(home);
    expect(await texts(recall, 'dentist')).toHaveLength(3);
    await home.append(end);
    await recall.catchUp();
    expect(await texts(recall, 'dentist')).toEqual(['said person: The dentist of my sister is in Bern']);
    const n = recall.corpus.now.size;
    expect(Array.from({ length: n }, (__, at) => recall.items.item(at + 1)?.text)).not.toContain(DENTIST);
    await recall.close();
  });

  it('whose memory is off from the beginning is never remembered', async () => {
    await using home = await memoryHome();
    await home.append(open({ memory: 'off' }), message(DENTIST));
    const recall = await recallOf(home);
    expect(await texts(recall, 'dentist')).toEqual([]);
    await recall.close();
  });
});
