import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeAt } from '../../src/kit/settings.ts';
import { openArtifacts } from '../../src/core/ledger/artifact-store.ts';
import { openLedger } from '../../src/core/ledger/ledger.ts';
import type { NewEvent } from '../../src/core/schema/event.ts';
import { MemoryAbout } from '../../src/core/schema/knowledge.ts';
import { Procedure, type ProcedureNumbers } from '../../src/core/schema/procedure.ts';
import { oka, type TemporaryFolder, temporaryFolder } from '../support/cli.ts';

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = temporaryFolder();
  await oka('init', '--dir', folder.dir);
  mkdirSync(join(folder.dir, '.oka', 'rules'), { recursive: true });
  writeFileSync(join(folder.dir, '.oka', 'rules', 'config.json'), JSON.stringify({ memory: { vectors: false } }));
});
afterAll(() => folder[Symbol.dispose]());

const redact = (text: string): string => text;
const memory = (...args: string[]) => oka('memory', ...args, '--dir', folder.dir);
const about = async (...args: string[]): Promise<MemoryAbout> =>
  MemoryAbout.parse(JSON.parse((await memory('about', ...args, '--json')).out));
const textsOf = ({ known }: MemoryAbout): string[] => known.map(({ text }) => text);

async function append(pen: 'run' | 'maintenance', ...events: NewEvent[]): Promise<void> {
  const ledger = await openLedger(homeAt(folder.dir).ledgers[pen], pen, { redact });
  await ledger.append(events);
  await ledger.close();
}

/** A task with these words that is done, and a pass of maintenance. */
async function work(run: string, title: string, body: string, inside: readonly NewEvent[] = []): Promise<void> {
  const stored = await openArtifacts(join(folder.dir, '.oka', 'artifacts'), redact).put(body, { name: `${run}.md` });
  const { sha256 } = stored;
  const input = { name: `${run}.md`, title, body: sha256, first_line: 1, dir: null, fields: {} };
  await append(
    'run',
    { type: 'task.received', run, data: { name: `${run}.md`, body: { sha256, bytes: body.length } } },
    { type: 'run.started', run, data: { title, graph: { id: 'oka.task', sha256 }, input } },
    ...inside,
    { type: 'run.ended', run, data: { status: 'done', reason: 'over' } },
  );
  await learn();
}

const learn = async (): Promise<void> =>
  expect(await oka('maintain', '--once', '--dir', folder.dir)).toMatchObject({ code: 0 });

const answered = (run: string, by: string, text: string): NewEvent[] => [
  { type: 'wait.opened', run, data: { wait: `${run}.q`, node: 'ask', for: { kind: 'question', text: 'How?' } } },
  { type: 'wait.closed', run, data: { wait: `${run}.q`, node: 'ask', answer: { verdict: 'answered', by, text } } },
];

describe('oka memory about', () => {
  it('says that nothing is known yet', async () => {
    expect((await memory('about')).out).toContain('knows nothing about you yet');
  });

  it('shows each thing with the task it is known from, and the command that forgets it', async () => {
    await work('report-1', 'Report of the week', 'Write the report.\n\nFrom now on, write reports in English.\n');
    const { known, changes } = await about();
    expect(known).toMatchObject([
      {
        kind: 'standing',
        text: 'Write reports in English.',
        why: { text: 'you wrote it in the task “Report of the week”', run: 'report-1', person: null, more: 0 },
      },
    ]);
    expect(changes).toMatchObject([{ change: 'learned', text: 'Write reports in English.' }]);
    const { out } = await memory('about');
    expect(out).toMatch(
      /^oka knows 1 thing about you.*\n\nStanding instructions, for every task\n {2}Write reports in English\.\n {4}why: you wrote it in the task “Report of the week”, \d{4}-\d\d-\d\d \d\d:\d\d \(oka show report-1\)\n {4}forget: oka memory forget standing-/,
    );
  });

  it('says what was superseded this week, and undoes that by the command it shows', async () => {
    await work('report-2', 'Report again', 'Write the report.\n\nFrom now on, write reports in German.\n');
    const { known, changes } = await about();
    expect(known.map(({ text }) => text)).toEqual(['Write reports in German.']);
    const [change] = changes.filter((each) => each.change === 'superseded');
    expect(change).toMatchObject({
      before: 'Write reports in English.',
      text: 'Write reports in German.',
      why: { run: 'report-2' },
      undo: expect.stringMatching(/^oka memory undo \d+$/),
    });
    expect(changes.map(({ change: kind }) => kind)).toEqual(['superseded']);
    expect((await memory('about')).out).toContain(
      'superseded: “Write reports in English.” by “Write reports in German.”',
    );
    expect((await oka(...String(change?.undo).split(' ').slice(1), '--dir', folder.dir)).code).toBe(0);
  });

  it('groups what several people said by person and topic', async () => {
    await work('trip-1', 'Plan the trip', 'Plan the trip.', answered('trip-1', 'ben', 'I prefer trains over planes.'));
    const all = await about();
    expect(all.known.map(({ text, why }) => [text, why.person])).toEqual([
      ['Write reports in English.', null],
      ['Prefer trains over planes.', 'ben'],
    ]);
    const { out } = await memory('about');
    expect(out).toContain('Standing instructions, for every task (from you)\n');
    expect(out).toContain(
      'Preferences (from ben)\n  Prefer trains over planes.\n    why: ben answered a question of the task “Plan the trip”',
    );
    expect(textsOf(await about('--namespace', 'standing'))).toEqual(['Write reports in English.']);
  });

  it('forgets by the command that it shows, says so without the words, and does not learn it again', async () => {
    const { known } = await about();
    const preference = known.find(({ kind }) => kind === 'preference');
    const words = String(preference?.forget).split(' ');
    expect(words[0]).toBe('oka');
    expect((await oka(...words.slice(1), '--dir', folder.dir)).out).toContain('Forgot preference-');
    await learn();
    const after = await about();
    expect(textsOf(after)).toEqual(['Write reports in English.']);
    expect(after.changes.at(-1)).toMatchObject({ change: 'forgotten', id: preference?.id, text: null });
    const { out } = await memory('about');
    expect(out).toContain(`forgotten: ${preference?.id}\n    why: you removed it`);
    expect(out).not.toContain('trains');
    expect(await memory('forget', String(preference?.id))).toMatchObject({ code: 2 });
  });

  it('says what has ended, what a person stated directly, and nothing of an older time', async () => {
    await memory('fact', 'add', 'The boiler is serviced in May', '--id', 'boiler');
    await memory('fact', 'add', 'Use the side entrance', '--id', 'entrance', '--ttl', '0s');
    const { known, changes } = await about();
    expect(known.find(({ id }) => id === 'boiler')).toMatchObject({
      kind: 'fact',
      why: { text: 'you asked oka to remember it' },
    });
    expect(changes.at(-1)).toMatchObject({
      change: 'forgotten',
      text: 'Use the side entrance',
      reason: 'it was said to end',
    });
    expect((await about('--days', '0')).changes).toEqual([]);
  });

  it('says what it does by itself, and since when', async () => {
    const procedure = Procedure.parse({
      id: 'sort-rows-1',
      title: 'Sort <path>',
      trigger: ['Sort a.csv'],
      task: 'Sort {{path}}',
      shape: '0'.repeat(64),
      graph: { id: 'plan', nodes: [] },
      tools: ['shell'],
      targets: [],
      steps: ['sort'],
      evidence: [{ run: 'report-1', seq: 1 }],
    });
    const side = { runs: 3, fine: 3, seconds: 2, tokens: 1000 };
    const numbers: ProcedureNumbers = {
      successes: 3,
      with: side,
      without: side,
      wins: 3,
      losses: 0,
      e_value: 24,
      contradictions: 0,
      last_validated: null,
    };
    const move = { procedure: procedure.id, from: 'candidate', to: 'promoted', by: 'gate', numbers } as const;
    await append(
      'maintenance',
      { type: 'procedure.drafted', data: { procedure } },
      { type: 'procedure.moved', data: { ...move, reason: 'faster than without it' } },
    );
    const { habits, changes } = await about();
    expect(habits).toMatchObject([
      {
        title: 'Sort <path>',
        why: 'faster than without it',
        forget: 'oka procedures demote sort-rows-1',
        runs: ['report-1'],
      },
    ]);
    expect(changes.at(-1)).toMatchObject({
      change: 'habit',
      to: 'promoted',
      undo: 'oka procedures demote sort-rows-1',
    });
    const { out } = await memory('about');
    expect(out).toMatch(/By itself[^\n]*\n {2}Sort <path>\n {4}why: learned from 1 task, used since .*: faster/);
    expect(out).toContain('now done by itself: Sort <path>');
  });
});
