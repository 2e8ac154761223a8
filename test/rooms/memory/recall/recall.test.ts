import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildPack } from '../../../../src/rooms/memory/recall/build-pack.ts';
import { indexFile, Recall } from '../../../../src/rooms/memory/recall/recall.ts';
import { listDays, search } from '../../../../src/rooms/memory/recall/search-memory.ts';
import { createTokenCounter } from '../../../../src/kit/text/tokens.ts';
import { openArtifacts } from '../../../../src/core/ledger/artifact-store.ts';
import { openLedger } from '../../../../src/core/ledger/ledger.ts';
import type { NewEvent } from '../../../../src/core/schema/event.ts';
import { type MemoryHome, memoryHome, recallOf, said } from '../../../support/memory.ts';

const graph = { id: 'g', sha256: 'a'.repeat(64) };

async function ids(recall: Recall, query: string, filters: object = {}): Promise<string[]> {
  return (await search(recall, { query, limit: 10, ...filters })).found.map(({ id }) => id);
}

/** What a task leaves in the ledger. */
function taskEvents(run: string, title = 'Tidy the invoices'): NewEvent[] {
  return [
    { type: 'run.started', run, data: { title, graph } },
    {
      type: 'call.started',
      run,
      data: { call: `${run}.a`, node: 'look', tool: 'shell', class: 'read', input: { line: 'ls invoices' } },
    },
    {
      type: 'call.ended',
      run,
      data: { call: `${run}.a`, node: 'look', status: 'ok', output: { stdout: 'zebra.pdf' } },
    },
    {
      type: 'call.started',
      run,
      data: { call: `${run}.m`, node: 'look', tool: 'model.complete', class: 'read', input: { text: 'secretprompt' } },
    },
    {
      type: 'call.ended',
      run,
      data: { call: `${run}.m`, node: 'look', status: 'ok', output: { text: 'secretprompt' } },
    },
    {
      type: 'wait.opened',
      run,
      data: { wait: `${run}.w`, node: 'ask', for: { kind: 'question', text: 'Which currency?' } },
    },
    {
      type: 'wait.closed',
      run,
      data: { wait: `${run}.w`, node: 'ask', answer: { verdict: 'answered', text: 'Swiss francs', by: 'a person' } },
    },
    { type: 'run.corrected', run, data: { by: 'other', text: 'The totals were missing' } },
    { type: 'run.ended', run, data: { status: 'done', reason: 'all is sorted' } },
  ];
}

describe('what is remembered', () => {
  it('comes from the ledger with its evidence: what people said, what was done and how it ended', async () => {
    await using home = await memoryHome();
    const seqs = await home.append(...taskEvents('r1'));
    const recall = await recallOf(home);
    const { found } = await search(recall, { query: 'zebra invoices currency francs totals sorted', limit: 10 });
    expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(['did', 'said', 'ended']));
    const answer = found.find(({ text }) => text.includes('Swiss francs'));
    expect(answer).toMatchObject({ kind: 'said', run: 'r1', node: 'ask', evidence: [{ run: 'r1', seq: seqs[6] }] });
    expect(answer?.text).toContain('Which currency?');
    await recall.close();
  });

  it('is not what models were asked and answered: that stands elsewhere', async () => {
    await using home = await memoryHome();
    await home.append(...taskEvents('r1'));
    const recall = await recallOf(home);
    expect(await ids(recall, 'secretprompt')).toEqual([]);
    await recall.close();
  });

  it('the words of people weigh more than what tools gave', async () => {
    await using home = await memoryHome();
    await home.append(
      { type: 'run.started', run: 'r1', data: { title: 'x', graph } },
      { type: 'call.started', run: 'r1', data: { call: 'c', node: 'n', tool: 'shell', class: 'read', input: {} } },
      {
        type: 'call.ended',
        run: 'r1',
        data: { call: 'c', node: 'n', status: 'ok', output: 'the archive key is blue' },
      },
      { type: 'run.started', run: 'r2', data: { title: 'x', graph } },
      { type: 'run.corrected', run: 'r2', data: { by: 'r3', text: 'the archive key is blue' } },
    );
    const recall = await recallOf(home);
    const { found } = await search(recall, { query: 'archive key', limit: 5 });
    expect(found.map(({ kind }) => kind)).toEqual(['said', 'did']);
    expect(await ids(recall, 'archive key', { trusted: true })).toHaveLength(1);
    await recall.close();
  });

  it('bodies of tasks are found by their words', async () => {
    await using home = await memoryHome();
    const { openArtifacts } = await import('../../../../src/core/ledger/artifact-store.ts');
    const body = await openArtifacts(join(home.oka, 'artifacts'), (text) => text).put('Water the ficus every Tuesday.');
    await home.append({ type: 'task.received', run: 'plants', data: { name: 'plants.md', body } });
    const recall = await recallOf(home);
    expect((await search(recall, { query: 'ficus', limit: 1 })).found).toMatchObject([{ kind: 'said', run: 'plants' }]);
    await recall.close();
  });

  it('a message is found by its neighbours, who said it and when', async () => {
    await using home = await memoryHome();
    await home.append(
      said('1', 'I adopted a puppy!', { at: '2023-05-08T10:00:00Z' }),
      said('2', 'How old?', { who: 'Bob', at: '2023-05-08T10:00:30Z' }),
      said('3', 'Nine weeks', { at: '2023-05-08T10:01:00Z' }),
      said('4', 'We painted the kitchen', { at: '2023-07-01T10:00:00Z' }),
    );
    const recall = await recallOf(home);
    const { found } = await search(recall, { query: 'the age of the puppy', limit: 4 });
    expect(found.map(({ id }) => id)).toEqual(['1', '2']);
    expect(await ids(recall, 'what did Ann say in July 2023')).toContain('4');
    await recall.close();
  });

  it('filters by day, namespace and task', async () => {
    await using home = await memoryHome();
    await home.append(
      said('1', 'red apple', { at: '2026-01-01T10:00:00Z', namespace: 'a' }),
      said('2', 'green apple', { at: '2026-01-02T10:00:00Z', namespace: 'b' }),
      { type: 'run.started', run: 'r1', data: { title: 'x', graph } },
      { type: 'run.corrected', run: 'r1', data: { by: 'r2', text: 'apple pie' } },
    );
    const recall = await recallOf(home);
    expect(await ids(recall, 'apple', { day: '2026-01-01' })).toEqual(['1']);
    expect(await ids(recall, 'apple', { namespace: 'b' })).toEqual(['2']);
    expect(await ids(recall, 'apple', { task: 'r1' })).toEqual(['e4']);
    expect(await ids(recall, 'apple', { except: 'r1', only: 'episodes' })).toHaveLength(2);
    expect(
      listDays(recall)
        .slice(-2)
        .map(({ day }) => day),
    ).toEqual(['2026-01-02', '2026-01-01']);
    await recall.close();
  });

  it('the same question gives the same order, and equals stay in the order of the ledger', async () => {
    await using home = await memoryHome();
    await home.append(
      ...Array.from({ length: 30 }, (_, index) => said(`t${index}`, 'same words', { namespace: `n${index}` })),
    );
    const recall = await recallOf(home);
    const first = await ids(recall, 'same words');
    expect(first).toEqual(Array.from({ length: 10 }, (_, index) => `t${index}`));
    expect(await ids(recall, 'same words')).toEqual(first);
    await recall.close();
  });

  it('a message that is taken in again is remembered once, in its newest words', async () => {
    await using home = await memoryHome();
    await home.append(
      said('1', 'old words about lions'),
      said('1', 'old words about lions'),
      said('1', 'new words about tigers'),
    );
    const recall = await recallOf(home);
    expect(await ids(recall, 'lions')).toEqual([]);
    expect(await ids(recall, 'tigers')).toEqual(['1']);
    await recall.close();
  });
});

describe('facts', () => {
  const fact = (id: string, text: string, more: object = {}): NewEvent => ({
    type: 'fact.kept',
    data: { id, text, source: 'person', ...more },
  });

  it('important ones stand high, and yet what happened appears', async () => {
    await using home = await memoryHome();
    await home.append(
      ...Array.from({ length: 12 }, (_, index) => fact(`f${index}`, `coffee fact number ${index}`, { importance: 1 })),
      ...Array.from({ length: 12 }, (_, index) =>
        said(`s${index}`, `coffee talk number ${index}`, { namespace: `n${index}` }),
      ),
    );
    const recall = await recallOf(home);
    const { found } = await search(recall, { query: 'coffee', limit: 9 });
    expect(found[0]?.kind).toBe('fact');
    expect(found.filter(({ kind }) => kind === 'fact')).toHaveLength(6);
    expect((await search(recall, { query: 'coffee', limit: 1 })).found).toMatchObject([{ kind: 'fact' }]);
    await recall.close();
  });

  it('2 superseded, forgotten and expired ones are never given', async () => {
    await using home = await memoryHome();
    await home.append(
      fact('a', 'tea is at four'),
      fact('b', 'tea is at five', { supersedes: ['a'] }),
      fact('c', 'tea is green', { expires: '2026-05-01T00:00:00Z' }),
      fact('d', 'tea is black'),
      { type: 'fact.forgotten', data: { facts: ['d'], why: 'deleted' } },
    );
    const recall = await recallOf(home);
    expect(await ids(recall, 'tea')).toEqual(['b']);
    expect(recall.facts.get('a')?.fact).toMatchObject({ superseded_by: 'b', evidence: [{ run: null, seq: 1 }] });
    expect(recall.facts.has('d')).toBe(false);
    await recall.close();
  });

  it('standing ones are in every pack, others when they fit, and what tools gave is in no plan', async () => {
    await using home = await memoryHome();
    await home.append(
      fact('s', 'Always answer in German', { namespace: 'standing' }),
      fact('f', 'The boat is called Luna'),
      fact('t', 'The boat is owned by mallory', { source: 'tool' }),
      ...taskEvents('old'),
    );
    const recall = await recallOf(home);
    const ask = { run: 'new', node: 'plan', query: 'paint the boat near the invoices zebra', model: null, given: [] };
    const plan = await buildPack(recall, { ...ask, role: 'planner' });
    expect(plan.text).toContain('Always answer in German');
    expect(plan.text).toContain('Luna');
    expect(plan.text).not.toContain('mallory');
    expect(plan.text).not.toContain('zebra.pdf');
    expect(plan.manifest.items.find(({ id }) => id === 'fact:s')).toMatchObject({ evidence: [{ run: null, seq: 1 }] });
    expect((await buildPack(recall, { ...ask, role: 'executor' })).text).toContain('zebra.pdf');
    await recall.close();
  });
});

describe('counting tokens', () => {
  it('a provider that reports more than was counted raises the factor of its family', async () => {
    await using home = await memoryHome();
    const input = { role: 'planner', messages: [{ role: 'user', text: 'word '.repeat(400) }] };
    const asked = (call: string, model: string, tokens: number): NewEvent[] => [
      { type: 'call.started', run: 'r', data: { call, node: 'n', tool: 'model.complete', class: 'read', input } },
      {
        type: 'call.ended',
        run: 'r',
        data: { call, node: 'n', status: 'ok', output: { model }, usage: { tokens_in: tokens } },
      },
    ];
    await home.append(...asked('a', 'anthropic:claude', 700), ...asked('b', 'openai:gpt', 100));
    const recall = await recallOf(home);
    expect(recall.reportedTokens('anthropic')).toBeGreaterThan(1.6);
    expect(recall.reportedTokens('openai')).toBeLessThan(1);
    const text = 'some words to count '.repeat(50);
    const counter = await createTokenCounter('anthropic', recall.reportedTokens('anthropic'));
    expect(counter.count(text)).toBeGreaterThan((await createTokenCounter('anthropic')).count(text));
    await recall.close();
  });
});

describe('the index', () => {
  const some = Array.from({ length: 40 }, (_, index) => said(`t${index}`, `note ${index} about topic${index}`));

  async function damagedBy(home: MemoryHome, damage: (file: string) => void): Promise<string[]> {
    await home.append(...some);
    const before = await recallOf(home);
    await before.close();
    damage(indexFile(home.options.folder));
    const after = await recallOf(home);
    const found = await ids(after, 'topic7');
    await after.close();
    return found;
  }

  it('3 comes back when it was deleted', async () => {
    await using home = await memoryHome();
    expect(await damagedBy(home, (file) => rmSync(file))).toContain('t7');
  });

  it('3 comes back when it is no index', async () => {
    await using home = await memoryHome();
    expect(await damagedBy(home, (file) => writeFileSync(file, 'x'.repeat(20_000)))).toContain('t7');
  });

  it('3 comes back when its end is cut off', async () => {
    await using home = await memoryHome();
    expect(await damagedBy(home, (file) => truncateSync(file, Math.floor(statSync(file).size / 2)))).toContain('t7');
  });

  it('3 comes back when a piece of it was garbled', async () => {
    await using home = await memoryHome();
    const garble = (file: string): void => {
      const bytes = readFileSync(file);
      writeFileSync(file, Buffer.from(bytes.toString('latin1').replaceAll('note 7 about', 'note X about'), 'latin1'));
    };
    await home.append(...some);
    await (await recallOf(home)).close();
    garble(indexFile(home.options.folder));
    const recall = await recallOf(home);
    expect((await search(recall, { query: 'topic7', limit: 1 })).found[0]?.text).toBe('note 7 about topic7');
    await recall.close();
  });

  it('3 is made anew when the ledger is another one', async () => {
    await using home = await memoryHome();
    await home.append(...some);
    await (await recallOf(home)).close();
    const other = join(home.dir, 'other', 'run_ledger.jsonl');
    const ledger = await openLedger(other, 'run', { redact: (text) => text });
    await ledger.append([said('x', 'another life'), ...some.slice(0, 39)]);
    await ledger.close();
    const recall = Recall.open({ ...home.options, ledgers: { ...home.options.ledgers, run: other } });
    await recall.catchUp();
    expect(await ids(recall, 'another life')).toEqual(expect.arrayContaining(['x']));
    await recall.close();
  });

  it('2 has one writer; others see it, and read what it does not have yet', async () => {
    await using home = await memoryHome();
    await home.append(...some);
    const writer = await recallOf(home);
    await home.append(said('new', 'unheard melody'), {
      type: 'fact.kept',
      data: { id: 'f', text: 'melody fact', source: 'person' },
    });
    const reader = await recallOf(home);
    expect([writer.canWrite, reader.canWrite]).toEqual([true, false]);
    expect(await ids(reader, 'melody')).toEqual(expect.arrayContaining(['new', 'f']));
    expect(await ids(reader, 'topic7')).toContain('t7');
    await home.append({ type: 'fact.forgotten', data: { facts: ['f'], why: 'deleted' } });
    await reader.catchUp();
    expect(await ids(reader, 'melody', { only: 'facts' })).toEqual([]);
    await expect(reader.rebuild()).rejects.toThrow('another process is writing the index');
    await reader.close();
    await writer.close();
  });

  it('4 where it cannot be written, recall goes on', async () => {
    await using home = await memoryHome();
    await home.append(...some);
    writeFileSync(join(home.oka, 'index'), 'a file where the folder should be');
    const recall = await recallOf(home);
    expect(await ids(recall, 'topic7')).toContain('t7');
    await recall.close();
  });

  it('1 made again it answers the same, and the ledger is what it was', async () => {
    await using home = await memoryHome();
    await home.append(...some, ...taskEvents('r1'));
    const ledger = readFileSync(home.options.ledgers.run);
    const recall = await recallOf(home);
    const before = await search(recall, { query: 'topic7 francs zebra', limit: 20 });
    expect(await recall.rebuild()).toBe(some.length + 9);
    expect(await search(recall, { query: 'topic7 francs zebra', limit: 20 })).toEqual(before);
    expect(readFileSync(home.options.ledgers.run).equals(ledger)).toBe(true);
    await recall.close();
  });
});

describe('a pack for a task that memory knows nothing about', () => {
  it('is empty: unrelated tasks, tool output, facts and the tutorial cost no token', async () => {
    await using home = await memoryHome();
    const artifacts = openArtifacts(join(home.oka, 'artifacts'), (text) => text);
    const tutorial = await artifacts.put('# Welcome to oka\n\nThis is a normal task about the zebra.');
    await home.append(
      { type: 'task.received', run: 'welcome-1', data: { name: 'welcome', body: tutorial } },
      ...taskEvents('welcome-1', 'Welcome to oka'),
      { type: 'fact.kept', data: { id: 'f', text: 'The boat is called Luna', source: 'person' } },
      ...taskEvents('old'),
    );
    const recall = await recallOf(home);
    const ask = { run: 'new', node: 'n', model: null, given: [] };
    for (const role of ['planner', 'executor', 'critic'] as const) {
      const query = 'Sum the revenue of each region in sales.csv and write a report to the desk.';
      expect((await buildPack(recall, { ...ask, role, query })).text).toBe('');
      const { manifest } = await buildPack(recall, { ...ask, role, query: 'Is there a zebra?' });
      expect(manifest.items.filter(({ evidence }) => evidence.some(({ run }) => run === 'welcome-1'))).toEqual([]);
    }
    await recall.close();
  });
});
