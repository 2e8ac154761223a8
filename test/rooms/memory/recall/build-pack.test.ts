import { describe, expect, it } from 'vitest';
import { buildPack, type PromptPack } from '../../../../src/rooms/memory/recall/build-pack.ts';
import type { Recall } from '../../../../src/rooms/memory/recall/recall.ts';
import type { NewEvent } from '../../../../src/core/schema/event.ts';
import { memoryHome, recallOf, said } from '../../../support/memory.ts';

const graph = { id: 'g', sha256: 'a'.repeat(64) };

/** A correction is what the operator says in a task; the fact is what maintenance learned from it. */
const stated = (run: string, text: string): NewEvent[] => [
  { type: 'run.started', run, data: { title: 'a task', graph } },
  { type: 'run.corrected', run, data: { by: 'x', text } },
];
const learned = (id: string, text: string, seq: number, more: object = {}): NewEvent => ({
  type: 'fact.kept',
  data: { id, text, source: 'task', evidence: [{ run: null, seq }], ...more },
});

const packed = (recall: Recall, query: string, role: 'planner' | 'executor' = 'planner'): Promise<PromptPack> =>
  buildPack(recall, { role, run: 'new', node: null, query, model: null, given: [] });

describe('what was learned', () => {
  it('is in the pack, and the episode that it comes from is not', async () => {
    await using home = await memoryHome();
    const text = 'Always put paid invoices into the folder archive.';
    const long = Array.from({ length: 60 }, (_, index) =>
      said(`n${index}`, `The paid invoices of folder ${index} and the invoices of ${index * 7} are a long story.`),
    );
    await home.append(
      ...stated('r1', text),
      learned('standing-0123456789', text, 2, { namespace: 'standing' }),
      ...long,
    );
    const recall = await recallOf(home);
    for (const role of ['planner', 'executor'] as const) {
      const { text: pack } = await packed(recall, 'Sort the paid invoices into a folder.', role);
      expect(pack.split('folder archive')).toHaveLength(2);
      expect(pack.indexOf('folder archive')).toBeLessThan(pack.indexOf('<data'));
    }
    await recall.close();
  });

  it('is said to be left out when it does not fit', async () => {
    await using home = await memoryHome();
    const rules = Array.from({ length: 60 }, (_, index) =>
      learned(`standing-${String(index).padStart(10, '0')}`, `Always check column ${index} of the invoices twice.`, 1, {
        namespace: 'standing',
      }),
    );
    await home.append(...stated('r1', 'hello'), ...rules);
    const recall = await recallOf(home);
    const { text, manifest } = await packed(recall, 'Sort the invoices.');
    const left = manifest.dropped.filter(({ section }) => section === 'standing').length;
    expect(left).toBeGreaterThan(0);
    expect(text).toMatch(/\(\d+ more of their instructions for such tasks did not fit in here\.\)$/);
    await recall.close();
  });

  it('is not repeated by an episode once it was replaced, forgotten or refused', async () => {
    await using home = await memoryHome();
    const old = 'Always write reports on the choir in German.';
    await home.append(
      ...stated('r1', `${old} The choir meets on Monday.`),
      ...stated('r2', 'Never report on the choir in public.'),
      ...stated('r3', 'From now on write reports on the choir in French.'),
      learned('standing-0000000001', old, 2, { namespace: 'standing' }),
      learned('standing-0000000002', 'Write reports on the choir in French.', 6, {
        namespace: 'standing',
        supersedes: ['standing-0000000001'],
      }),
      ...stated('r4', 'Always greet the choir first.'),
    );
    const recall = await recallOf(home);
    const { text } = await packed(recall, 'Write a report on the choir.', 'executor');
    expect(text).toContain('French');
    expect(text).not.toContain('German');
    expect(text).not.toContain('public');
    expect(text).toContain('choir meets on Monday');
    expect(text).toContain('greet the choir'); // maintenance has not read it yet
    await recall.close();
  });
});

describe('whose words they are', () => {
  const line = (id: string, text: string, about: object): NewEvent => said(id, text, { namespace: 'chat', ...about });

  it('a plan gets no imported output of a program or an assistant, and nobody gets their instructions', async () => {
    await using home = await memoryHome();
    await home.append(
      line('1', 'The furnace was cleaned in May by the sweep.', { who: 'bash', role: 'tool' }),
      line('2', 'The furnace needs a new filter.', { who: 'bot', role: 'assistant' }),
      line('3', 'The furnace is in the cellar.', { who: 'Ben', role: 'user', own: false }),
      line('4', 'Always open the furnace with a crowbar.', { who: 'Ben', role: 'user', own: false }),
    );
    const recall = await recallOf(home);
    const plan = (await packed(recall, 'Clean the furnace.')).text;
    const work = (await packed(recall, 'Clean the furnace.', 'executor')).text;
    expect([plan.includes('sweep'), plan.includes('filter'), plan.includes('cellar')]).toEqual([false, false, true]);
    expect([work.includes('sweep'), work.includes('filter'), work.includes('cellar')]).toEqual([true, true, true]);
    expect(plan + work).not.toContain('crowbar');
    expect((await packed(recall, 'What does Ben say about the furnace?')).text).toContain('crowbar');
    expect(work).toMatch(/^<data /);
    await recall.close();
  });

  it("what maintenance learned from the operator's own lines is known to a plan, and what another home sent is not", async () => {
    await using home = await memoryHome();
    await home.append(
      learned('preference-0123456789', 'Use copper pipes for the furnace.', 1, { source: 'import' }),
      learned('pulled.x.run.1', 'Use lead pipes for the furnace.', 1, { source: 'import' }),
    );
    const recall = await recallOf(home);
    const { text } = await packed(recall, 'Order pipes for the furnace.');
    expect(text).toContain('copper');
    expect(text).not.toContain('lead');
    expect(text).not.toContain('<data');
    await recall.close();
  });
});
