import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, partOf, type Parts, plan, verdict } from '../support/story-model.ts';
import { casesOf } from '../support/thorough.ts';
import { call, fail, say, type WireReply, type WireRequest } from '../support/wire-server-reply.ts';

const TASK = `---
id: patient
---
Write patience into p.txt.
`;

const answers = inParts({
  planner: () => plan([goal('write', 'Write it', ['files.write', 'files.read'])], ['p.txt says what patience is.']),
  executor: acting(
    call('files_write', { path: 'p.txt', content: 'waiting without complaint\n' }),
    call('files_read', { path: 'p.txt' }),
  ),
  critic: ({ text }) => {
    const piece = [...text.matchAll(/\b(E\d+) files\.read/g)].at(-1)?.[1] ?? '';
    return verdict('done', [{ criterion: 'c1', holds: true, evidence: piece, quote: 'waiting without complaint' }]);
  },
});

/** Each part is down the first times it is asked. */
function downAtFirst(times: number): (request: WireRequest) => WireReply | Promise<WireReply> {
  const asked: Record<keyof Parts, number> = { planner: 0, executor: 0, critic: 0 };
  return (request) => ((asked[partOf(request)] += 1) <= times ? fail(503) : answers(request));
}

const PAUSES: [name: string, WireReply][] = [
  ['unreachable', { do: 'cut', first: '' }],
  ['overloaded for a minute', fail(503, { headers: { 'retry-after': '60' } })],
];

describe('a model that is down', () => {
  it('is asked again after pauses until it is back, in every part, and nothing is done twice', async () => {
    await using story = await openStory({ model: downAtFirst(3) });
    story.drop('patient.md', TASK);
    story.work();
    const { status, page } = await story.ended('patient');
    expect(status).toBe('done');
    expect(page).toContain('1 of 1 criteria met');
    const writes = (await story.eventsOf('call.started')).filter(({ data }) => data.tool === 'files.write');
    expect(writes).toHaveLength(1);
    expect(story.model.requests.filter((request) => partOf(request) === 'planner')).toHaveLength(4);
    const timers = (await story.eventsOf('wait.opened')).filter(({ data }) => data.for.kind === 'timer');
    expect(timers.length).toBeGreaterThanOrEqual(5);
  });

  it('W2 is waited for across a restart, whichever part had to wait', async () => {
    let isDown: keyof Parts | null = 'planner';
    await using story = await openStory({
      model: (request) => (partOf(request) === isDown ? fail(503) : answers(request)),
    });
    story.drop('patient.md', TASK);
    const timers = async (): Promise<number> =>
      (await story.eventsOf('wait.opened')).filter(({ data }) => data.for.kind === 'timer').length;
    for (const part of ['planner', 'executor', 'critic'] as const) {
      isDown = part;
      const before = await timers();
      story.work();
      await story.until(`a pause of the ${part}`, async () => ((await timers()) > before ? true : undefined));
      await story.rest();
    }
    isDown = null;
    story.work();
    expect((await story.ended('patient')).status).toBe('done');
    const writes = (await story.eventsOf('call.started')).filter(({ data }) => data.tool === 'files.write');
    expect(writes).toHaveLength(1);
  });

  it.each(casesOf(['planner', 'executor', 'critic'] as const, (part) => part === 'executor'))(
    'or silent does not keep a worker from stopping while the %s is asked',
    async (part) => {
      await using story = await openStory({
        model: (request) => (partOf(request) === part ? { do: 'stall', first: '' } : answers(request)),
      });
      story.drop('patient.md', TASK);
      const worker = story.start(['worker']);
      await story.until('the question', async () => story.model.requests.find((each) => partOf(each) === part));
      worker.kill('SIGTERM');
      expect(await once(worker, 'exit')).toEqual([0, null]);
      expect(await story.eventsOf('run.ended', 'patient')).toEqual([]);
    },
  );

  it.each(casesOf(PAUSES, ([name]) => name === 'overloaded for a minute'))(
    'or %s does not keep a worker from stopping during a pause',
    async (_, reply) => {
      await using story = await openStory({ model: () => reply });
      story.drop('patient.md', TASK);
      const worker = story.start(['worker']);
      await story.until('a pause', async () => (await story.eventsOf('wait.opened'))[0]);
      worker.kill('SIGTERM');
      expect(await once(worker, 'exit')).toEqual([0, null]);
    },
  );

  it('that will never answer, for want of a right, fails at once with what to do', async () => {
    await using story = await openStory({ model: () => fail(401) });
    story.drop('patient.md', TASK);
    story.work();
    const { status, reason } = await story.ended('patient');
    expect(status).toBe('failed');
    expect(reason).toMatch(/401[^]*key/);
    expect(story.model.requests).toHaveLength(1);
  });

  it.each([
    [401, /the model's server answered 401[^]*oka secrets set/],
    [404, /the model's server answered 404[^]*Check the name/],
  ])(
    'that refuses the worker for good with %s fails at once with what to do, and resumes where it was',
    async (status, told) => {
      let isFixed = false;
      const checked = inParts({
        planner: () => plan([goal('write', 'Write it', ['files.write', 'files.read'])], ['contains: p.txt patience']),
        executor: (request) =>
          isFixed ? acting(call('files_write', { path: 'p.txt', content: 'patience\n' }))(request) : fail(status),
      });
      await using story = await openStory({ model: checked });
      story.drop('patient.md', TASK);
      story.work();
      const ended = await story.ended('patient');
      expect(ended.status).toBe('failed');
      expect(ended.page).toContain('**❌ Failed.**');
      expect(ended.page).not.toMatch(/Not possible|may not be planned again/);
      expect(ended.page).toMatch(told);
      expect(ended.page).toContain('oka model test');
      expect(ended.page).toContain('oka resume');
      expect(story.model.requests.map(partOf)).toEqual(['planner', 'executor']);
      isFixed = true;
      await story.oka('resume', 'patient');
      expect((await story.ended('patient-again')).status).toBe('done');
      expect(story.deskText('p.txt')).toBe('patience\n');
      expect(story.model.requests.filter((request) => partOf(request) === 'planner')).toHaveLength(1);
    },
  );

  it('is named, with its address, since when, how often it was tried and when it is tried next', async () => {
    await using story = await openStory({ model: () => fail(503) });
    const url = `${story.model.url}/v1`;
    story.drop('patient.md', TASK);
    story.work();
    const why = await story.until('the fourth try', async () =>
      (await story.eventsOf('wait.opened'))
        .flatMap(({ data }) => (data.for.kind === 'timer' ? (data.for.why ?? []) : []))
        .at(3),
    );
    expect(why).toMatch(new RegExp(`^the model custom:story at ${url} \\(no answer since .* UTC, tried 4 times\\): `));
    const { out } = await story.oka('status');
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /waits for the model custom:story at .*tried \d+ times.*Next try at [\d:]+ UTC/,
    );
    expect(out).toContain('nothing waits for you');
    expect(story.told.join('\n')).toContain(`waiting for the model custom:story at ${url}`);
    const waiting = '⏸️ Waiting: it continues automatically'; // between two tries; during one it is in progress
    const page = await story.until('the page', async () =>
      [story.page('patient') ?? ''].find((text) => text.includes(waiting)),
    );
    expect(page).toContain('custom:story');
    expect(page).not.toContain('a person is needed');
    expect(story.told.join('\n')).not.toContain('RESULT.md');
  });

  it('or answers with a web page, is named in the same way', async () => {
    await using story = await openStory({
      model: () => ({ do: 'raw', status: 200, media: 'text/html', body: '<html>a login page</html>', headers: {} }),
    });
    story.drop('patient.md', TASK);
    story.work();
    const why = await story.until('a try', async () =>
      (await story.eventsOf('wait.opened'))
        .flatMap(({ data }) => (data.for.kind === 'timer' ? (data.for.why ?? []) : []))
        .at(0),
    );
    expect(why).toMatch(/^the model custom:story at .*: the server returned a web page instead of an answer/);
  });

  it('that refuses shows its own words', async () => {
    await using story = await openStory({ model: () => say('I am sorry, but I do not write about patience.') });
    story.drop('patient.md', TASK);
    story.work();
    const { reason, page } = await story.ended('patient');
    expect(reason).toContain('It wrote: "I am sorry, but I do not write about patience."');
    expect(page).toContain('I am sorry, but I do not write about patience.');
  });

  it('that refuses as the worker, in prose, shows its own words, too', async () => {
    await using story = await openStory({
      model: (request) => (partOf(request) === 'executor' ? say('I would rather not write this.') : answers(request)),
    });
    story.drop('patient.md', TASK.replace('---\nWrite', 'budget: { replans: 0 }\n---\nWrite'));
    story.work();
    const { reason, page } = await story.ended('patient');
    expect(reason).toContain('It wrote: "I would rather not write this."');
    expect(page).toContain('I would rather not write this.');
  });
});
