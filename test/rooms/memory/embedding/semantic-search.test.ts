import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildPack } from '../../../../src/rooms/memory/recall/build-pack.ts';
import type { Recall, RecallOptions } from '../../../../src/rooms/memory/recall/recall.ts';
import { search } from '../../../../src/rooms/memory/recall/search-memory.ts';
import { memoryHome, type MemoryHome, recallOf, said, wordModel } from '../../../support/memory.ts';
import { tableInProcess } from '../../../support/table-in-process.ts';

const never = new AbortController().signal;
const notes = (count: number) =>
  Array.from({ length: count }, (_, index) => said(`n${index}`, `note ${index} about topic${index}`));
const openRecall = (home: MemoryHome, besides: Partial<RecallOptions> = {}): Promise<Recall> =>
  recallOf(home, { table: tableInProcess, ...besides });
async function similarities(recall: Recall, query: string, able: Uint8Array): Promise<Float32Array | null> {
  const question = await recall.semantic.readQuestion(recall.corpus.now, query);
  return question === null ? null : recall.semantic.similarities(recall.corpus.now, question, able);
}
const noModel = async () => {
  throw new Error('a model was loaded');
};

describe('a model', () => {
  it('1 is not loaded where nothing is remembered, and is from the first entry on once somebody searches', async () => {
    await using home = await memoryHome({ vectors: true });
    mkdirSync(join(home.options.folder, 'vectors'), { recursive: true });
    const empty = await openRecall(home, { embedder: noModel });
    expect((await search(empty, { query: 'anything', limit: 1 })).by).toBe('keywords');
    expect([empty.shouldEmbed, empty.semantic.failure]).toEqual([false, null]);
    await empty.close();
    rmSync(join(home.options.folder, 'vectors'), { recursive: true });
    await home.append(said('first', 'The workshop repairs my automobile'));
    const one = await openRecall(home, { embedder: wordModel('words').embedder });
    expect(one.shouldEmbed).toBe(false);
    await search(one, { query: 'who fixes my car', limit: 1 });
    expect(one.shouldEmbed).toBe(true);
    await one.embedAll(new AbortController().signal);
    expect((await search(one, { query: 'who fixes my car', limit: 1 })).by).toBe('keywords and vectors');
    await one.close();
  });

  it('2 that is still loading is not waited for: the pack is made by words, and says so', async () => {
    await using home = await memoryHome({ vectors: true });
    await home.append(...notes(40));
    mkdirSync(join(home.options.folder, 'vectors'), { recursive: true });
    const loaded = Promise.withResolvers<void>();
    const recall = await openRecall(home, {
      embedder: (settings) => loaded.promise.then(() => wordModel('slow').embedder(settings)),
      patienceMs: 5,
    });
    const ask = { role: 'planner', run: 'r', node: null, query: 'topic7', model: null, given: [] } as const;
    const { text, manifest } = await buildPack(recall, ask);
    expect([manifest.by, text]).toEqual(['keywords', expect.stringContaining('topic7')]);
    loaded.resolve();
    await recall.close();
  });

  it('4 whose vectors cannot be written costs nothing but the meaning, and is left alone for a while', async () => {
    await using home = await memoryHome({ vectors: true });
    await home.append(...notes(40));
    const model = wordModel('first');
    const recall = await openRecall(home, { embedder: model.embedder });
    await recall.semantic.open();
    rmSync(join(home.options.folder, 'vectors'), { recursive: true });
    writeFileSync(join(home.options.folder, 'vectors'), 'a file where the folder was');
    await recall.embedAll(never);
    expect([recall.semantic.failure === null, recall.shouldEmbed]).toEqual([false, false]);
    expect((await search(recall, { query: 'topic7', limit: 1 })).found[0]?.id).toBe('n7');
    await recall.close();
  });
});

describe('a changed model', () => {
  it.each([
    ['of the same length', 64],
    ['of another length', 32],
  ])(
    '%s learns everything again while words answer, goes on after a stop, and leaves nothing of the old',
    async (_, dims) => {
      await using home = await memoryHome({ vectors: true });
      const tea = { id: 'tea', namespace: 'general', text: 'Tea is at four.', source: 'person' } as const;
      await home.append(...notes(200), { type: 'fact.kept', data: tea });
      const old = wordModel('old model aaaa');
      const before = await openRecall(home, { embedder: old.embedder });
      await before.embedAll(never);
      expect(old.texts).toHaveLength(201);
      expect((await search(before, { query: 'topic7', limit: 1 })).by).toBe('keywords and vectors');
      await before.close();
      await home.append({ type: 'fact.forgotten', data: { facts: [tea.id], why: 'deleted' } }); // nobody reads it again

      const first = wordModel('new model bbbb', dims);
      const during = await openRecall(home, { embedder: first.embedder });
      const stop = new AbortController();
      await during.embedAll(stop.signal, { onProgress: () => stop.abort() });
      expect(first.texts).toHaveLength(128);
      expect(await search(during, { query: 'topic7', limit: 1 })).toMatchObject({
        by: 'keywords',
        found: [{ id: 'n7' }],
      });
      await during.close();

      const second = wordModel('new model bbbb', dims);
      const after = await openRecall(home, { embedder: second.embedder });
      await after.embedAll(never);
      expect(second.texts).toHaveLength(200 - 128);
      expect((await search(after, { query: 'topic7', limit: 1 })).by).toBe('keywords and vectors');
      await after.close();

      const back = await openRecall(home, { embedder: old.embedder });
      expect((await back.semantic.open())?.size()).toBe(0);
      await back.close();
    },
  );

  it('is not learned by a process that only looks, and takes nothing from the one that keeps the index', async () => {
    await using home = await memoryHome({ vectors: true });
    await home.append(...notes(40));
    const keeper = await openRecall(home, { embedder: wordModel('old model aaaa').embedder });
    await keeper.embedAll(never);
    const reader = await openRecall(home, { embedder: wordModel('new model bbbb', 32).embedder });
    await reader.embedAll(never);
    expect((await search(reader, { query: 'topic7', limit: 1 })).by).toBe('keywords');
    expect((await search(keeper, { query: 'topic7', limit: 1 })).by).toBe('keywords and vectors');
    await reader.close();
    await keeper.close();
    expect(existsSync(join(home.options.folder, 'vectors'))).toBe(true);
  });
});

describe('meaning', () => {
  it('3 is known of every piece and looked for among what may be given: many that are closer do not hide it', async () => {
    await using home = await memoryHome({ vectors: true });
    const crowd = Array.from({ length: 1500 }, (_, index) => said(`c${index}`, `harbour boat ${index}`));
    const far = [said('far', 'kitchen soup bread'), said('less far', 'kitchen boat soup bread')];
    await home.append(...crowd, ...far, said('mine', 'boat with unrelated other words around', { namespace: 'small' }));
    const recall = await openRecall(home, { embedder: wordModel('first').embedder });
    await recall.embedAll(never);
    const all = (await similarities(recall, 'harbour boat', new Uint8Array(1503).fill(1))) ?? [];
    const [first = 0, farOff = 0, lessFarOff = 0] = [all[0], all[1500], all[1501]];
    expect([farOff < lessFarOff, lessFarOff < first]).toEqual([true, true]);
    const able = new Uint8Array(1503);
    able[1502] = 1;
    const close = [...((await similarities(recall, 'harbour boat', able)) ?? [])];
    expect(close.flatMap((value, at) => (Number.isNaN(value) ? [] : [at]))).toEqual([1502]);
    const { found, by } = await search(recall, { query: 'harbour boat', limit: 3, namespace: 'small' });
    expect([by, found.map(({ id }) => id)]).toEqual(['keywords and vectors', ['mine']]);
    await recall.close();
  });

  it('3 of what has no vector yet is that of the usual piece: new is not hidden by what is far off', async () => {
    await using home = await memoryHome({ vectors: true });
    await home.append(...notes(40));
    const recall = await openRecall(home, { embedder: wordModel('first').embedder });
    await recall.embedAll(never);
    await home.append(said('new', 'topic7 once more'));
    await recall.catchUp();
    const able = new Uint8Array(41).fill(1);
    const close = [...((await similarities(recall, 'topic7', able)) ?? [])];
    const known = close.slice(0, 40);
    expect(close[40]).toBeCloseTo(known.reduce((sum, each) => sum + each, 0) / 40, 5);
    await recall.close();
  });

  it('of one question is not that of another that is asked meanwhile', async () => {
    await using home = await memoryHome({ vectors: true });
    await home.append(...notes(60));
    const recall = await openRecall(home, { embedder: wordModel('first').embedder });
    await recall.embedAll(never);
    const ask = (index: number) => search(recall, { query: `topic${index} note ${index + 1}`, limit: 10 });
    const questions = Array.from({ length: 20 }, (_, index) => index);
    const apart: unknown[] = [];
    for (const index of questions) apart.push(await ask(index));
    expect(await Promise.all(questions.map(ask))).toEqual(apart);
    await recall.close();
  });

  it('of a long question is that of its beginning', async () => {
    await using home = await memoryHome({ vectors: true });
    await home.append(...notes(40));
    const model = wordModel('first');
    const recall = await openRecall(home, { embedder: model.embedder });
    await recall.embedAll(never);
    model.texts.length = 0;
    await search(recall, { query: `topic7 ${'and so on '.repeat(500)}`, limit: 1 });
    expect(model.texts.map((text) => text.length <= 400)).toEqual([true]);
    await recall.close();
  });
});

describe('a pack with room to spare', () => {
  it('stays as small as what was found: neighbours do not fill it', async () => {
    await using home = await memoryHome();
    await home.append(
      said('1', 'Shall we meet on Friday?', { at: '2026-01-10T10:00:00Z' }),
      said('2', 'Yes, at the lighthouse.', { who: 'Bob', at: '2026-01-10T10:00:30Z' }),
      said('3', 'Bring warm clothes!', { at: '2026-01-10T10:01:00Z' }),
    );
    const recall = await openRecall(home);
    const ask = { role: 'planner', run: 'r', node: null, query: 'lighthouse', model: null, given: [] } as const;
    const { manifest } = await buildPack(recall, ask);
    expect(manifest.items.map(({ id }) => id)).toEqual(['chat:2']);
    await recall.close();
  });
});
