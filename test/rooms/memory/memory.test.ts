import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveRecall } from '../../../src/rooms/memory/recall-socket.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { openLedger } from '../../../src/core/ledger/ledger.ts';
import { openArtifacts } from '../../../src/core/ledger/artifact-store.ts';
import { FactGiven } from '../../../src/core/schema/memory.ts';
import { recordMemory } from '../../../src/rooms/memory/record-memory.ts';
import type { Retrieved } from '../../../src/rooms/memory/recall/search-memory.ts';
import { oka, okaWith, type TemporaryFolder, temporaryFolder } from '../../support/cli.ts';

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = temporaryFolder();
  await oka('init', '--dir', folder.dir);
  mkdirSync(join(folder.dir, '.oka', 'rules'), { recursive: true });
  writeFileSync(join(folder.dir, '.oka', 'rules', 'config.json'), JSON.stringify({ memory: { vectors: false } }));
});
afterAll(() => folder[Symbol.dispose]());

async function memory(...args: string[]) {
  return oka('memory', ...args, '--dir', folder.dir);
}
const data = async (...args: string[]): Promise<never> => JSON.parse((await memory(...args, '--json')).out) as never;

describe('oka memory', () => {
  it('takes in lines from elsewhere, and finds them within a budget, best first', async () => {
    const file = join(folder.dir, 'chat.jsonl');
    const lines = [
      { id: 'D1:1', text: 'I adopted a puppy called Rex', at: '2023-05-08T10:00:00Z', who: 'Ann', namespace: 'chat' },
      { id: 'D1:2', text: 'How old is he?', at: '2023-05-08 10:01', who: 'Bob', namespace: 'chat' },
      { id: 3, text: 'We painted the kitchen', at: '2023-07-01', who: 'Bob' },
    ];
    writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    expect(await memory('import', file)).toMatchObject({ code: 0, out: 'Imported 3 lines.\n' });
    const ledger = join(folder.dir, '.oka', 'run_ledger.jsonl');
    const before = readFileSync(ledger, 'utf8');
    expect(await memory('import', file)).toMatchObject({
      code: 0,
      out: 'Nothing new: all 3 lines had been imported before.\n',
    });
    expect(readFileSync(ledger, 'utf8')).toBe(before);
    const { items, tokens } = (await data('retrieve', '--budget', '30', 'Which puppy did Ann adopt?')) as {
      items: { id: string; score: number; tokens: number; evidence: object[] }[];
      tokens: number;
    };
    expect(items[0]).toMatchObject({ id: 'D1:1', evidence: [{ run: null, seq: 1 }] });
    expect(items.reduce((sum, each) => sum + each.tokens, 0)).toBe(tokens);
    expect(tokens).toBeLessThanOrEqual(30);
  });

  it('asks the worker that owns the ledger, and searches by itself when that gives no answer', async () => {
    const home = homeAt(folder.dir);
    const ledger = await openLedger(home.ledgers.run, 'run', { redact: (text) => text });
    const nothing: Retrieved = { items: [], by: 'keywords and vectors' };
    let asked = 0;
    const stop = await serveRecall(home, {
      retrieve: async () => {
        asked += 1;
        if (asked > 1) throw new Error('no index');
        return nothing;
      },
    });
    const puppies = async (): Promise<Retrieved> => data('retrieve', 'puppy');
    expect(await puppies()).toMatchObject(nothing);
    expect((await puppies()).items[0]?.id).toBe('D1:1');
    expect(asked).toBe(2);
    await stop();
    expect((await puppies()).items[0]?.id).toBe('D1:1');
    await ledger.close();
  });

  it('with - answers one question a line in one process', async () => {
    const input = 'puppy\n\nkitchen\n';
    const { out } = await okaWith({ input }, 'memory', 'retrieve', '--json', '--dir', folder.dir, '-');
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { query: string; items: { id: string }[] });
    expect(answers.map(({ query, items }) => [query, items[0]?.id])).toEqual([
      ['puppy', 'D1:1'],
      ['kitchen', '3'],
    ]);
    expect(await memory('retrieve', '-')).toMatchObject({ code: 2, err: expect.stringContaining('--json') });
  });

  it('refuses a file with a bad line as a whole, and says which', async () => {
    const file = join(folder.dir, 'bad.jsonl');
    writeFileSync(file, '{"id":"9","text":"fine","at":"2023-01-01"}\nnonsense\n{"id":"8","text":"x","at":"soon"}\n');
    const { code, err } = await memory('import', file);
    expect(code).toBe(3);
    expect(err).toContain('line 2: it is not a JSON object');
    expect(err).toContain('line 3: "at" is not a date and time');
    expect(await data('retrieve', 'fine')).toMatchObject({ items: [] });
    expect(await memory('import', join(folder.dir, 'none.jsonl'))).toMatchObject({ code: 2 });
    expect(await memory('import', folder.dir)).toMatchObject({
      code: 3,
      err: expect.stringContaining('not a regular file'),
    });
  });

  it('keeps, finds, shows and supersedes facts', async () => {
    const added = (await data('fact', 'add', 'Invoices go to Carla', '--importance', '0.9')) as {
      fact: { id: string };
    };
    const { id } = added.fact;
    expect((await memory('fact', 'get', id)).out).toContain('known from event');
    expect(await data('fact', 'add', 'Invoices go to Dora', '--id', 'dora', '--supersedes', id)).toMatchObject({
      fact: { supersedes: [id] },
    });
    expect(await data('fact', 'get', id)).toMatchObject({ superseded_by: 'dora' });
    expect(await data('fact', 'search', 'invoices')).toMatchObject({ items: [{ id: 'dora' }] });
    expect(await data('retrieve', 'invoices')).toMatchObject({ items: [{ id: 'dora', kind: 'fact' }] });
  });

  it('prunes facts that are over and forgets those it is told to', async () => {
    await memory('fact', 'add', 'Soon over', '--ttl', '0s', '--id', 'over');
    expect(await data('fact', 'prune')).toMatchObject({ forgot: ['over'] });
    expect(await memory('fact', 'delete', 'dora')).toMatchObject({ code: 0 });
    expect(await data('fact', 'list')).toEqual({ facts: [] });
  });

  it('forgets once what several ask for, and nothing that was stated again meanwhile', async () => {
    using own = temporaryFolder();
    await oka('init', '--dir', own.dir);
    const home = homeAt(own.dir);
    await oka('memory', 'fact', 'add', 'Soon over', '--ttl', '0s', '--id', 'twice', '--dir', own.dir);
    const ledger = await openLedger(home.ledgers.run, 'run', { redact: (text) => text });
    const artifacts = openArtifacts(join(home.oka, 'artifacts'), (text) => text);
    const forget = (why: 'deleted' | 'expired', ...facts: string[]): Promise<{ forgot?: string[] }> =>
      recordMemory({ kind: 'forget', facts, why }, { home, ledger, artifacts });
    expect((await forget('expired', 'twice', 'nobody')).forgot).toEqual(['twice']);
    expect(await forget('expired', 'twice')).toEqual({ seqs: [], forgot: [] });
    expect(await forget('deleted', 'twice')).toEqual({ seqs: [], forgot: [] });
    const fact = { id: 'twice', namespace: 'general', text: 'Stays', source: 'person', confidence: 1, importance: 1 };
    await recordMemory({ kind: 'remember', fact: FactGiven.parse(fact) }, { home, ledger, artifacts });
    expect(await forget('expired', 'twice')).toEqual({ seqs: [], forgot: [] });
    expect((await forget('deleted', 'twice')).forgot).toEqual(['twice']);
    await ledger.close();
  });

  it('says what is wrong with a fact that cannot be kept or is not there', async () => {
    expect(await memory('fact', 'delete', 'dora')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no fact "dora"'),
    });
    expect(await memory('fact', 'add', 'x', '--importance', '7')).toMatchObject({
      code: 2,
      err: expect.stringContaining('0 to 1'),
    });
    expect(await memory('fact', 'add', 'x', '--ttl', 'soon')).toMatchObject({
      code: 2,
      err: expect.stringContaining('30d'),
    });
  });

  it('shows numbers, days, and one day alone', async () => {
    expect((await memory()).out).toContain('searched by words');
    expect(await data('daily', 'days')).toMatchObject({
      days: [
        { day: '2023-07-01', pieces: 1 },
        { day: '2023-05-08', pieces: 2 },
      ],
    });
    expect(await data('daily', 'search', 'puppy kitchen', '--day', '2023-07-01')).toMatchObject({
      items: [{ id: '3' }],
    });
    expect(await memory('daily', 'search', 'x', '--day', 'monday')).toMatchObject({ code: 2 });
  });

  it('oka rebuild index makes it again', async () => {
    const { code, out } = await oka('rebuild', 'index', '--dir', folder.dir);
    expect([code, out]).toEqual([0, expect.stringContaining('3 entries')]);
    expect(await data('retrieve', 'puppy')).toMatchObject({ items: [{ id: 'D1:1' }, {}] });
  });

  it('imports only what is new in a file that has grown, and knows who is who', async () => {
    const file = join(folder.dir, 'roles.jsonl');
    const line = (id: string, role: string, who: string, text: string): string =>
      `${JSON.stringify({ id, role, who, text, at: '2024-01-01', namespace: 'roles', thread: 'a' })}\n`;
    writeFileSync(
      file,
      line('1', 'user', 'Ann', 'Always use metric units.') + line('2', 'tool', 'bash', 'rm -rf soup'),
    );
    expect((await memory('import', file)).out).toContain('say which name is yours');
    appendFileSync(file, line('3', 'assistant', 'bot', 'The soup is gone.'));
    expect(await data('import', file)).toMatchObject({ imported: 1, known: 2, own: 0 });
    expect(await data('import', file, '--me', 'ann')).toMatchObject({ imported: 1, known: 2, own: 1 });
    const { items } = (await data('retrieve', '--namespace', 'roles', 'soup units')) as { items: { kind: string }[] };
    expect(items.map(({ kind }) => kind).toSorted()).toEqual(['did', 'replied', 'said']);
  });

  it('says how to set up a folder that is none', async () => {
    using other = temporaryFolder();
    expect(await oka('memory', '--dir', other.dir)).toMatchObject({
      code: 3,
      err: expect.stringContaining('oka init'),
    });
  });
});
