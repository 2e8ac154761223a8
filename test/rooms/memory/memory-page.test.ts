import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeAt } from '../../../src/kit/settings.ts';
import { openLedger } from '../../../src/core/ledger/ledger.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { daysQuery } from '../../../src/rooms/memory/days-page/days-query.ts';
import { learnedQuery } from '../../../src/rooms/memory/learned-page/learned-query.ts';
import { factQuery, memoryQuery, statementQuery } from '../../../src/rooms/memory/page/memory-query.ts';
import { askQuery } from '../../support/ask-query.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

type Facts = { facts: { id: string; text: string; kind: string }[]; matching: number; counts: object };
type Learned = { changes: { text: string; undo: string | null; undone: boolean; fact: string | null }[] };

async function learn(dir: string, events: readonly NewEvent[]): Promise<void> {
  const file = join(dir, '.oka', 'maintenance', 'maintenance_ledger.jsonl');
  const ledger = await openLedger(file, 'maintenance', { redact: (text) => text });
  await ledger.append(events);
  await ledger.close();
}

const kept = (id: string, namespace: string, text: string): NewEvent => ({
  type: 'fact.kept',
  data: {
    id,
    namespace,
    text,
    source: 'task',
    importance: 0.5,
    confidence: 1,
    supersedes: [],
    evidence: [{ run: 'a', seq: 1 }],
  },
});

describe('the page Memory', () => {
  it('lists facts by kind, finds them by their words, and says where one is known from', async () => {
    using folder = temporaryFolder();
    const { dir } = folder;
    await oka('init', '--dir', dir);
    await learn(dir, [
      kept('standing-1', 'standing', 'Always use metric units.'),
      kept('fact-2', 'travel', 'Likes trains.'),
    ]);
    await oka('memory', 'fact', 'add', 'The dentist is in Graz.', '--id', 'fact-dentist', '--dir', dir);
    const home = homeAt(dir);
    const all = await askQuery<Facts>(memoryQuery, home);
    expect(all.facts.map(({ id }) => id)).toEqual(['standing-1', 'fact-dentist', 'fact-2']);
    expect(all).toMatchObject({ matching: 3, counts: { standing: 1 } });
    const found = await askQuery<Facts>(memoryQuery, home, { q: 'dent graz' });
    expect(found.facts.map(({ id }) => id)).toEqual(['fact-dentist']);
    expect((await askQuery<Facts>(memoryQuery, home, { kind: 'standing' })).facts).toHaveLength(1);
    expect(await askQuery<Facts>(memoryQuery, home, { limit: '1' })).toMatchObject({ matching: 3, facts: [{}] });
    expect(await askQuery(factQuery, home, { fact: 'fact-dentist' })).toMatchObject({
      state: 'valid',
      origins: [{ text: 'you asked oka to remember it', seq: expect.any(Number) }],
    });
    await expect(askQuery(factQuery, home, { fact: 'nobody' })).rejects.toThrow('there is no fact');
  });

  it('makes a statement the same fact as a line on the page of learnings would be', async () => {
    const rows = { rows: {} as never };
    const first = await askQuery(statementQuery, rows, { topic: 'standing', text: ' Always  write\nin German. ' });
    expect(first).toMatchObject({ fact: { namespace: 'standing', text: 'Always write in German.', source: 'person' } });
    const again = await askQuery(statementQuery, rows, { topic: 'standing', text: 'Always write in German.' });
    expect(again).toEqual(first);
    const { id } = first['fact'] as { id: string };
    expect(
      await askQuery(statementQuery, rows, { topic: 'standing', text: 'In English.', supersedes: id }),
    ).toMatchObject({
      fact: { supersedes: [id] },
    });
  });

  it('lists what was learned lately with how to undo it, and does not repeat what a person removed', async () => {
    using folder = temporaryFolder();
    const { dir } = folder;
    await oka('init', '--dir', dir);
    await learn(dir, [
      kept('fact-1', 'general', 'Likes trains.'),
      kept('fact-2', 'general', 'Likes a secret.'),
      kept('fact-3', 'general', 'Likes ships.'),
      { type: 'change.undone', data: { change: 3, reason: 'undone by a person' } },
    ]);
    await oka('memory', 'fact', 'add', 'The dentist is in Graz.', '--id', 'fact-dentist', '--dir', dir);
    await oka('memory', 'fact', 'delete', 'fact-2', '--dir', dir);
    const { changes } = await askQuery<Learned>(learnedQuery, homeAt(dir));
    const about = (fact: string): Learned['changes'][number] | undefined => changes.find((each) => each.fact === fact);
    expect(about('fact-1')).toMatchObject({ undo: 'take_back', undone: false });
    expect(about('fact-3')).toMatchObject({ undo: null, undone: true });
    expect(about('fact-dentist')).toMatchObject({ undo: 'forget' });
    expect(JSON.stringify(changes)).not.toContain('secret');
  });
});

describe('the page Days', () => {
  it('shows a day as maintenance wrote it, what people wrote on it, and nothing for another file', async () => {
    using folder = temporaryFolder();
    const { dir } = folder;
    await oka('init', '--dir', dir);
    const home = homeAt(dir);
    expect(await askQuery(daysQuery, home)).toMatchObject({ days: [], day: null });
    mkdirSync(join(home.oka, 'memory'), { recursive: true });
    writeFileSync(join(home.oka, 'memory', '2026-01-01.md'), '# Thursday\n\nNothing.\n');
    const page =
      '# Friday\n\nAll 2 tasks were done. <!--oka day:x-->\n\n## Yours\n\nMy note.\n\n<!--oka =000000000000-->\n';
    writeFileSync(join(home.oka, 'memory', '2026-01-02.md'), page);
    writeFileSync(join(home.oka, 'memory', 'other.md'), 'x');
    expect(await askQuery(daysQuery, home)).toMatchObject({
      days: ['2026-01-02', '2026-01-01'],
      day: '2026-01-02',
      page: '# Friday\n\nAll 2 tasks were done.',
      notes: 'My note.',
    });
    expect(await askQuery(daysQuery, home, { day: '2026-01-01' })).toMatchObject({ day: '2026-01-01' });
    await expect(askQuery(daysQuery, home, { day: '2026-01-09' })).rejects.toThrow('there is no page');
  });
});
