import { expect, it } from 'vitest';
import { openStory } from '../../support/story.ts';
import { runbook } from '../../support/writing-commands.ts';

/** Commands that make something so, in this order, and how each says that it is so already. */
const MAKING_IT_SO: readonly [words: string, says: RegExp, code?: number][] = [
  ['runs pin base', /base: it is pinned already/],
  ['runs unpin base', /base: it is not pinned/],
  ['runs archive base', /base: it is archived already/],
  ['runs unarchive base', /base: it is not archived/],
  ['runs pause rests', /rests: it is paused already/],
  ['pause rests', /It is paused already/],
  ['runs resume rests', /rests: it waits for an answer already/],
  ['resume rests', /./, 4], // and shows what it waits for, as it does the first time
  ['pause other', /It is paused already/],
  ['schedule off plan', /plan is off already/],
  ['schedule on plan', /plan is on already/],
  ['schedule stop', /The clock of schedules is off already/],
  ['schedule start', /The clock of schedules is on already/],
  ['chat pin trip', /trip is pinned already/],
  ['chat unpin trip', /trip is not pinned/],
  ['chat ttl trip 30d', /Messages of trip expire after that time already/],
  ['chat pause trip', /trip is paused already/],
  ['chat resume trip', /trip is not paused/],
];

const CHANGES = new Set(['runs.marked', 'run.paused', 'run.resumed', 'chat.changed', 'chat.paused', 'chat.resumed']);

it('what four ask for at once is recorded once; who asks again is told that it is so, and nothing is recorded', async () => {
  await using story = await openStory({});
  const ask = { id: 'a', kind: 'ask', question: 'Sure?', options: ['yes', 'no'] };
  for (const id of ['rests', 'other']) story.write(`workspace/graphs/${id}.json`, JSON.stringify({ id, nodes: [ask] }));
  story.write('workspace/schedules/plan.md', `---\nevery: monday 08:00\n---\n${runbook('true')}\n`);
  story.write(
    'workspace/graphs/base.json',
    JSON.stringify({
      id: 'base',
      nodes: [{ id: 'a', kind: 'tool', tool: 'shell', input: { line: 'true' }, timeout_seconds: 60, max_retries: 0 }],
    }),
  );
  for (const id of ['base', 'rests', 'other']) await story.oka('graph', 'run', id, '--id', id);
  await story.oka('chat', 'new', 'trip');
  story.work();
  await story.until('the worker', async () => ((await story.eventsOf('worker.started')).length > 0 ? true : undefined));
  await story.until('the schedule', async () =>
    (await story.eventsOf('schedule.changed')).length > 0 ? true : undefined,
  );
  const changes = async (): Promise<string[]> =>
    (await story.events())
      .filter(({ type, data }) => CHANGES.has(type) || (type === 'schedule.changed' && /^o(?:n|ff)$/.test(data.change)))
      .map(({ type, data }) => `${type} ${JSON.stringify(data)}`);
  for (const [line, says, code = 0] of MAKING_IT_SO) {
    const words = line.split(' ');
    const before = await changes();
    const wasSo = line === 'pause rests' || line === 'resume rests';
    const all = await Promise.all([0, 1, 2, 3].map(async () => story.oka(...words)));
    expect([line, ...all.map((each) => `${each.code} ${each.err}`)]).toEqual([line, ...Array(4).fill(`${code} `)]);
    expect([line, (await changes()).slice(before.length)]).toEqual([
      line,
      Array(wasSo ? 0 : 1).fill(expect.any(String)),
    ]);
    const again = await story.oka(...words);
    expect([line, again.code, again.err, again.out]).toEqual([line, code, '', expect.stringMatching(says)]);
    expect([line, (await changes()).length]).toEqual([line, before.length + (wasSo ? 0 : 1)]);
  }
});
