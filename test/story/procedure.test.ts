import { describe, expect, it } from 'vitest';
import { stableShare } from '../../src/rooms/procedures/choose-procedure.ts';
import type { ProcedureNumbers, ProcedureStatus } from '../../src/core/schema/procedure.ts';
import type { NewEvent } from '../../src/core/schema/event.ts';
import { openLedger } from '../../src/core/ledger/ledger.ts';
import { Procedure } from '../../src/core/schema/procedure.ts';
import type { Json } from '../../src/core/schema/json.ts';
import { openStory, type Story } from '../support/story.ts';
import { inParts, partOf, plan, verdict } from '../support/story-model.ts';
import type { WireScript } from '../support/wire-server.ts';
import { fail } from '../support/wire-server-reply.ts';

const ID = 'upper-aaaaaaaaaaaa-bbbbbbbb';

function procedure(over: { [key: string]: Json } = {}): Procedure {
  return Procedure.parse({
    id: ID,
    title: 'Write a text in capitals',
    trigger: ['Write "hello" in capitals into a.txt'],
    task: 'Write "{{text}}" in capitals into {{path}}',
    parameters: [
      { name: 'text', kind: 'text', from: 'task', examples: ['hello'] },
      { name: 'path', kind: 'path', from: 'task', examples: ['a.txt'] },
    ],
    shape: '0'.repeat(64),
    graph: {
      id: 'plan',
      author: 'model',
      nodes: [
        {
          kind: 'tool',
          id: 'write',
          tool: 'files.write',
          input: { path: '{{input.path}}', content: '{{input.text}}\n' },
          timeout_seconds: 60,
          max_retries: 1,
        },
        {
          kind: 'tool',
          id: 'upper',
          needs: ['write'],
          tool: 'shell',
          input: { line: 'tr a-z A-Z < {{input.path}} > {{input.path}}.up' },
          timeout_seconds: 60,
          max_retries: 1,
        },
      ],
    },
    criteria: [{ text: 'matches: {{path}}.up /[A-Z]/', author: 'model' }],
    tools: ['files.write', 'shell'],
    targets: ['{{path}}', '{{path}}.up'],
    steps: ['write it', 'tr a-z A-Z'],
    evidence: [{ run: 'one', seq: 1 }],
    ...over,
  });
}

const numbers: ProcedureNumbers = {
  successes: 4,
  with: { runs: 4, fine: 4, seconds: 1, tokens: 0 },
  without: { runs: 6, fine: 6, seconds: 8, tokens: 1500 },
  wins: 4,
  losses: 0,
  e_value: 25,
  contradictions: 0,
  last_validated: '2026-03-01T10:00:00Z',
};

/** What maintenance would have written. */
async function known(
  { home }: Story,
  drafted: Procedure,
  to: ProcedureStatus | null = 'promoted',
  more: { probation?: true } = {},
): Promise<void> {
  const ledger = await openLedger(home.ledgers.maintenance, 'maintenance', { redact: (text) => text });
  await ledger.append({ type: 'procedure.drafted', data: { procedure: drafted } });
  if (to !== null)
    await ledger.append({
      type: 'procedure.moved',
      data: { procedure: drafted.id, from: 'candidate', to, by: 'gate', numbers, reason: 'better', ...more },
    });
  await ledger.close();
}

const task = (id: string, text: string): string => `---\nid: ${id}\n---\n${text}\n`;

type Append = (event: NewEvent) => Promise<void>;
const HEADING = 'Always put a heading above a text in capitals.';
const byHand = { id: 'headings', namespace: 'general', source: 'person' as const };

/** A name for a run that is in this share, or is not. */
const runIn = (share: number, isIn: boolean, id = ID): string => {
  for (let at = 0; ; at += 1) if (stableShare(`run-${at}`, id) < share === isIn) return `run-${at}`;
};

/** A critic that finds every criterion met by a file with this word in it. */
const quoting =
  (word: string): WireScript =>
  ({ text }) => {
    const files = [...text.matchAll(/\b(E\d+) files\.read [^\n]*\n([\s\S]*?)<\/data/g)];
    const evidence = files.find(([, , content = '']) => content.includes(word))?.[1] ?? '';
    const criteria = [...text.matchAll(/^(c\d+): /gm)].map(([, criterion = '']) => criterion);
    return verdict(
      'done',
      criteria.map((criterion) => ({ criterion, holds: true, evidence, quote: word })),
    );
  };

/** Leaves a file that shows who planned, and the one that the task asks for. */
const planner = inParts({
  planner: ({ text }) => {
    const asked = /into (\w[\w./]*\.txt)/.exec(text.split('Task:').at(-1) ?? '')?.[1] ?? 'by-model.txt';
    const write = (id: string, path: string) => ({
      id,
      tool: 'files.write',
      input: { path, content: 'x' },
      targets: [path],
    });
    return plan([write('model', 'by-model.txt'), write('asked', asked)], ['contains: by-model.txt "x"']);
  },
});

describe('a procedure', () => {
  it('that is promoted plans the next task where there is no model; what the person wants comes first', async () => {
    await using story = await openStory();
    await known(story, procedure());
    const run = runIn(0.1, true); // nobody else could plan it: nothing is held back
    story.drop(
      'a.md',
      `---\nid: ${run}\naccept: ['contains: out/b.txt.up "HELLO WORLD"']\n---\nWrite "hello world" in capitals into out/b.txt\n`,
    );
    story.work();
    const { status, page } = await story.ended(run);
    expect([status, story.deskText('out/b.txt.up')]).toEqual(['done', 'HELLO WORLD\n']);
    expect(page).toMatch(/✅ contains: out\/b\.txt\.up[^]*✅ matches: out\/b\.txt\.up/);
  });

  it('that is promoted takes up what waits for a model and fits it, and nothing else', async () => {
    await using story = await openStory();
    story.drop('fits.md', task('fits', 'Write "hello" in capitals into a.txt'));
    story.drop('other.md', task('other', 'Write a poem'));
    story.work();
    await story.until('both to wait', async () => ((await story.waiting()).length === 2 ? true : undefined));
    await known(story, procedure());
    expect((await story.ended('fits')).status).toBe('done');
    expect(story.deskText('a.txt.up')).toBe('HELLO\n');
    expect(await story.waiting()).toMatchObject([{ run: 'other', wait: 'other.plan.0.w0' }]);
  });

  it('that was promoted while nobody worked takes up what waits for a model at the next start', async () => {
    await using story = await openStory();
    story.drop('fits.md', task('fits', 'Write "hello" in capitals into a.txt'));
    story.work();
    await story.asked('requirement');
    await story.rest();
    await known(story, procedure());
    story.work();
    expect((await story.ended('fits')).status).toBe('done');
  });

  it('that is promoted while a model is down takes up what waits for it', async () => {
    await using story = await openStory({ model: () => fail(503) });
    const run = runIn(0.1, false);
    story.drop('a.md', task(run, 'Write "hello" in capitals into a.txt'));
    story.work();
    await story.until('a pause', async () => (await story.eventsOf('wait.opened', run))[0]);
    await known(story, procedure());
    expect((await story.ended(run)).status).toBe('done');
    expect(story.deskText('a.txt.up')).toBe('HELLO\n');
  });

  it('that is promoted plans the next task without asking the model, and it is said what that saves', async () => {
    await using story = await openStory({ model: planner });
    await known(story, procedure());
    const run = runIn(0.1, false);
    story.drop('a.md', task(run, 'Write "hello world" in capitals into out/b.txt'));
    story.work();
    expect((await story.ended(run)).status).toBe('done');
    expect(story.deskText('out/b.txt.up')).toBe('HELLO WORLD\n');
    expect(story.model.requests).toEqual([]);
    const [chosen] = await story.eventsOf('procedure.chosen', run);
    expect(chosen?.data).toMatchObject({
      procedure: ID,
      arm: 'used',
      parameters: { text: 'hello world', path: 'out/b.txt' },
      saves: { tokens: 1500, seconds: 8 },
    });
    const planned = (await story.eventsOf('call.ended', run)).find(({ data }) => data.node === 'plan');
    expect(planned?.data.output).toMatchObject({ by: 'procedure', targets: ['out/b.txt', 'out/b.txt.up'] });
    expect(chosen?.seq).toBeLessThan(planned?.seq ?? 0);
  });

  it('that is held back, or is a candidate that is not tried, leaves the plan to the model and is not shown to it', async () => {
    await using story = await openStory({ model: planner, config: { memory: { vectors: false } } });
    await known(story, procedure());
    const run = runIn(0.1, true);
    story.drop('a.md', task(run, 'Write "hello world" in capitals into out/b.txt'));
    story.work();
    expect((await story.ended(run)).status).toBe('done');
    expect(story.deskText('by-model.txt')).toBe('x');
    const chosen = await story.eventsOf('procedure.chosen', run);
    expect(chosen.map(({ data }) => [data.arm, data.saves])).toEqual([['held_back', null]]);
    expect(JSON.stringify(story.model.requests)).not.toContain('Write a text in capitals');
  });

  it('that is a candidate is tried on its share', async () => {
    const critic = quoting('ONE');
    await using story = await openStory({
      model: (request) => (partOf(request) === 'critic' ? critic(request) : planner(request)),
    });
    await known(story, procedure(), null);
    const [tried, not] = [runIn(0.5, true), runIn(0.5, false)];
    story.drop('a.md', task(tried, 'Write "one" in capitals into a.txt'));
    story.drop('b.md', task(not, 'Write "two" in capitals into b.txt'));
    story.work();
    await story.ended(tried);
    await story.ended(not);
    const chosen = await story.eventsOf('procedure.chosen');
    expect(new Map(chosen.map(({ run, data }) => [run, data.arm]))).toEqual(
      new Map([
        [tried, 'trial'],
        [not, 'held_back'],
      ]),
    );
    expect([story.deskText('a.txt.up'), story.deskText('b.txt.up')]).toEqual(['ONE\n', null]);
  });

  it('that is on probation is judged by the critic as well, and planned again when the critic rejects it', async () => {
    const seen = quoting('HELLO');
    await using story = await openStory({
      model: inParts({
        planner: () =>
          plan(
            [{ id: 'more', tool: 'files.write', input: { path: 'b.up', content: 'B\n' }, targets: ['b.up'] }],
            ['contains: b.up "B"'],
          ),
        critic: (request) =>
          request.text.includes('into bad.txt')
            ? verdict(
                'rework',
                [{ criterion: 'c1', holds: false, evidence: '', quote: '' }],
                'it is not what was asked',
              )
            : seen(request),
      }),
    });
    await known(story, procedure(), 'promoted', { probation: true });
    const [good, bad] = [runIn(0.1, false), `${runIn(0.1, false)}-bad`];
    story.drop('a.md', task(good, 'Write "hello" in capitals into a.txt'));
    story.work();
    const { page } = await story.ended(good);
    expect(page).toMatch(/2 of 2 criteria[^]*What the task asks for is done/);
    expect(page).toContain(`I now do tasks like this one by myself. Undo with: \`oka procedures demote ${ID}\``);
    expect(story.model.requests.map(partOf)).toEqual(['critic']);
    story.drop('b.md', task(bad, 'Write "hello" in capitals into bad.txt'));
    await story.ended(bad);
    const judged = await story.eventsOf('run.judged', bad);
    expect(judged[0]?.data.verdict).toBe('rework');
    const chosen = await story.eventsOf('procedure.chosen');
    expect(chosen.map(({ data }) => data.judge)).toEqual(['critic', 'critic']);
  });

  it('that has proven itself needs nobody but its checks, even if these only say that a file is there', async () => {
    await using story = await openStory();
    await known(story, procedure({ criteria: [{ text: 'file: {{path}}.up', author: 'model' }] }));
    story.drop('a.md', task('a', 'Write "hello" in capitals into a.txt'));
    story.work();
    const { status, page } = await story.ended('a');
    expect([status, page?.includes('by myself')]).toEqual(['done', false]);
    expect(await story.waiting()).toEqual([]);
  });

  it('that is on probation with such checks waits for somebody who can judge it', async () => {
    await using story = await openStory();
    const weak = procedure({ criteria: [{ text: 'file: {{path}}.up', author: 'model' }] });
    await known(story, weak, 'promoted', { probation: true });
    story.drop('a.md', task('a', 'Write "hello" in capitals into a.txt'));
    story.work();
    await story.asked('approval');
  });

  it('that cannot be filled is shown to the planner, and so is one that is near', async () => {
    await using story = await openStory({ model: planner, config: { memory: { vectors: false } } });
    const lost = { name: 'value_1', kind: 'text', from: 'task', examples: ['x'] };
    await known(story, procedure({ parameters: [...(procedure().parameters as Json[]), lost] }));
    story.drop('a.md', task('unfilled', 'Write "hello world" in capitals into out/b.txt'));
    story.work();
    await story.ended('unfilled');
    story.drop('b.md', task('near', 'Write a greeting in capitals into c.txt please'));
    await story.ended('near');
    const chosen = await story.eventsOf('procedure.chosen');
    expect(chosen.map(({ run, data }) => [run, data.arm])).toEqual([
      ['unfilled', 'offered'],
      ['near', 'offered'],
    ]);
    const asked = story.model.requests
      .filter((request) => partOf(request) === 'planner')
      .map((request) => JSON.stringify(request));
    expect(asked.map((text) => text.includes('procedures that worked>') && text.includes('tr a-z A-Z'))).toEqual([
      true,
      true,
    ]);
    const [pack] = await story.eventsOf('context.packed', 'unfilled');
    expect(pack?.data.items).toContainEqual(expect.objectContaining({ id: `procedure:${ID}`, section: 'procedures' }));
  });

  it.each([
    ['older than', 1, 'used'],
    ['newer than', 7, 'offered'],
  ])('that is promoted and an instruction %s the runs behind it: %i', async (_, seq, arm) => {
    await using story = await openStory({ model: planner, config: { memory: { vectors: false } } });
    await known(story, procedure());
    const ledger = await openLedger(story.home.ledgers.maintenance, 'maintenance', { redact: (text) => text });
    const fact = { id: 'standing-1', namespace: 'standing', source: 'task' as const, evidence: [{ run: null, seq }] };
    await ledger.append({ type: 'fact.kept', data: { ...fact, text: 'Put a heading above a text in capitals.' } });
    await ledger.close();
    const run = runIn(0.1, false);
    story.drop('a.md', task(run, 'Write "hello world" in capitals into out/b.txt'));
    story.work();
    expect((await story.ended(run)).status).toBe('done');
    expect((await story.eventsOf('procedure.chosen', run)).map(({ data }) => data.arm)).toEqual([arm]);
    expect(story.deskText('by-model.txt')).toBe(arm === 'used' ? null : 'x');
  });

  it.each([
    ['stored by hand', async (append: Append) => append({ type: 'fact.kept', data: { ...byHand, text: HEADING } })],
    [
      'stored before the runs behind it and forgotten now',
      async (append: Append) => {
        await append({ type: 'fact.kept', data: { ...byHand, text: HEADING, evidence: [{ run: null, seq: 1 }] } });
        await append({ type: 'fact.forgotten', data: { facts: [byHand.id], why: 'deleted' } });
      },
    ],
  ])('is only shown to the planner after an instruction was %s', async (_, change) => {
    await using story = await openStory({ model: planner, config: { memory: { vectors: false } } });
    await known(story, procedure());
    const ledger = await openLedger(story.home.ledgers.run, 'run', { redact: (text) => text });
    for (let at = 0; at < 8; at += 1)
      await ledger.append({ type: 'fact.kept', data: { ...byHand, id: 'tea', text: 'Tea is at four.' } });
    await change(async (event) => void (await ledger.append(event)));
    await ledger.close();
    const run = runIn(0.1, false);
    story.drop('a.md', task(run, 'Write "hello world" in capitals into out/b.txt'));
    story.work();
    expect((await story.ended(run)).status).toBe('done');
    expect((await story.eventsOf('procedure.chosen', run)).map(({ data }) => data.arm)).toEqual(['offered']);
    expect(story.deskText('by-model.txt')).toBe('x');
  });

  it.each(['../../b.txt', '-rf'])('refuses the parameter %s, and the model plans', async (path) => {
    await using story = await openStory({ model: planner });
    await known(story, procedure({ task: 'Write "{{text}}" in capitals into "{{path}}"' }));
    story.drop('a.md', task('poisoned', `Write "hello" in capitals into "${path}"`));
    story.work();
    expect((await story.ended('poisoned')).status).toBe('done');
    expect(story.deskText('by-model.txt')).toBe('x');
    const chosen = await story.eventsOf('procedure.chosen');
    expect(chosen.filter(({ data }) => data.arm === 'used')).toEqual([]);
  });

  it('whose result the critic does not accept is planned anew by the model, without it', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () =>
          plan(
            [
              {
                id: 'more',
                tool: 'files.write',
                input: { path: 'b.txt.up', content: 'HELLO, WORLD\n' },
                targets: ['b.txt.up'],
              },
            ],
            ['file: b.txt.up'],
          ),
      }),
    });
    await known(story, procedure());
    const run = runIn(0.1, false);
    story.drop(
      'a.md',
      `---\nid: ${run}\naccept: ['contains: b.txt.up "HELLO, WORLD"']\n---\nWrite "hello world" in capitals into b.txt\n`,
    );
    story.work();
    expect((await story.ended(run)).status).toBe('done');
    expect((await story.eventsOf('procedure.chosen', run)).map(({ data }) => data.arm)).toEqual(['used']);
    const plans = (await story.eventsOf('call.ended', run)).filter(({ data }) => data.node === 'plan');
    expect(plans.map(({ data }) => (data.output as { by: string }).by)).toEqual(['procedure', 'model']);
    expect(story.model.requests.map(partOf)).toEqual(['planner', 'critic']);
    expect((await story.oka('procedures', 'why', ID)).out).toMatch(new RegExp(`used +${run} .* sent back\n`));
  });

  it('counts only as the ledger says: a page about it, or a ledger that cannot be read, changes nothing', async () => {
    await using story = await openStory({ model: planner });
    story.write('.oka/brain/PROCEDURES/upper.md', '**promoted**');
    story.write('.oka/maintenance_ledger.jsonl', 'this is no ledger\n');
    story.drop('a.md', task('plain', 'Write "hello world" in capitals into out/b.txt'));
    story.work();
    expect((await story.ended('plain')).status).toBe('done');
    expect(await story.eventsOf('procedure.chosen')).toEqual([]);
  });
});
