import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, partOf, plan, turnOf } from '../support/story-model.ts';
import { call, say } from '../support/wire-server-reply.ts';

const task = (fields: string): string => `---
id: bounded
accept:
  - 'file: never.txt'
${fields}---
Look around until never.txt is there.
`;

const looking = inParts({
  planner: ({ number }) =>
    plan([goal(`look${number}`, 'Look around', ['files.list', 'files.read'], [])], ['file: never.txt']),
  executor: (request) => call('files_read', { path: `file-${turnOf(request)}.txt` }, { usage: { in: 2000, out: 100 } }),
});

describe('what bounds a task', () => {
  it('ends with the reason when its budget of tokens is spent', async () => {
    await using story = await openStory({ model: looking });
    story.drop('bounded.md', task('budget: { tokens: 20000 }\n'));
    story.work();
    const { status, reason, page } = await story.ended('bounded');
    expect(status).toBe('failed');
    expect(reason).toMatch(/budget of this run is spent: tokens/);
    expect(page).toContain('budget of this run is spent');
    expect(page).toContain('**❌ Failed.**');
    expect(story.model.requests.map(partOf).filter((part) => part === 'planner')).toHaveLength(1);
  });

  it('ends with the reason when its calls are spent', async () => {
    await using story = await openStory({ model: looking });
    story.drop('bounded.md', task('budget: { tool_calls: 12 }\n'));
    story.work();
    const { status, reason } = await story.ended('bounded');
    expect(status).toBe('failed');
    expect(reason).toMatch(/budget of this run is spent: tool_calls/);
    expect((await story.eventsOf('call.started')).length).toBeLessThan(20);
  });

  it('a worker that goes round in circles is caught, and so is a planner that sends it there again', async () => {
    await using story = await openStory({
      model: inParts({
        planner: ({ number }) => plan([goal(`again${number}`, 'Look', ['files.list'], [])], ['file: never.txt']),
        executor: () => call('files_list', { path: '.' }),
      }),
    });
    story.drop('bounded.md', task(''));
    story.work();
    const { status, page } = await story.ended('bounded');
    expect(status).toBe('failed');
    expect(page).toContain('going round in circles');
    const asked = story.model.requests.map(partOf);
    expect(asked.filter((part) => part === 'planner')).toHaveLength(4);
    expect(asked.filter((part) => part === 'executor')).toHaveLength(4 * 3);
  });

  it('a planner that answers nonsense is told twice what is wrong, and then it fails', async () => {
    await using story = await openStory({
      model: ({ number }) =>
        number === 1
          ? say('Sure, I will do that!')
          : number === 2
            ? call('submit_plan', '{"title": broken')
            : plan([], []),
    });
    story.drop('bounded.md', task(''));
    story.work();
    const { status, reason } = await story.ended('bounded');
    expect(status).toBe('failed');
    expect(reason).toMatch(/the planner answered 3 times what cannot be used/);
    expect(story.model.requests).toHaveLength(3);
    expect(story.model.requests[1]?.text).toContain('That answer cannot be used');
  });

  it('an executor whose calls are broken or not on offer is told twice, and then its step fails', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () => plan([goal('try', 'Try', ['files.list'], [])], ['file: never.txt']),
        executor: ({ number }) =>
          number === 2 ? call('files_list', '{"path":') : number === 3 ? call('rm_rf', {}) : say('I am done.'),
      }),
    });
    story.drop('bounded.md', task('budget: { replans: 0 }\n'));
    story.work();
    const { status, page } = await story.ended('bounded');
    expect(status).toBe('failed');
    expect(page).toContain('3 times in a row');
    expect(story.model.requests).toHaveLength(4);
    expect(story.model.requests[2]?.text).toContain('Your last answer was not accepted');
  });

  it('a repaired answer counts: broken once, then done', async () => {
    await using story = await openStory({
      model: inParts({
        planner: ({ number }) =>
          number === 1
            ? call('submit_plan', { steps: [] })
            : plan([goal('write', 'Write it', ['files.write'])], ['file: never.txt']),
        executor: acting(call('files_write', { path: 'never.txt', content: 'now\n' })),
      }),
    });
    story.drop('bounded.md', task(''));
    story.work();
    expect((await story.ended('bounded')).status).toBe('done');
  });

  it('a check that fails decides also while the answers of the critic cannot be used: it is planned again', async () => {
    const write = (content: string) => ({
      id: content,
      tool: 'files.write',
      input: { path: 'note.txt', content: `${content}\n` },
      targets: ['note.txt'],
    });
    let plans = 0;
    await using story = await openStory({
      model: inParts({
        planner: () => plan([write(plans++ === 0 ? 'wrong' : 'right')], ['contains: note.txt "right"']),
        critic: () => say('It looks good to me.'),
      }),
    });
    story.drop('bounded.md', `---\nid: bounded\naccept: ['note.txt says what is right.']\n---\nWrite note.txt.\n`);
    story.work();
    const { status, reason } = await story.ended('bounded');
    expect(status).toBe('failed');
    expect(reason).toMatch(/the critic answered 3 times what cannot be used/);
    expect(story.deskText('note.txt')).toBe('right\n');
    const [judged, ...more] = await story.eventsOf('run.judged', 'bounded');
    expect(judged?.data).toMatchObject({ verdict: 'rework', reason: expect.stringContaining('contains: note.txt') });
    expect(more).toEqual([]);
  });

  it('is not begun after its deadline', async () => {
    await using story = await openStory({ model: looking });
    story.drop('bounded.md', task("deadline: '2020-01-01T00:00:00.000Z'\n"));
    story.work();
    const { status, reason, page } = await story.ended('bounded');
    expect(status).toBe('failed');
    expect(reason).toContain('its deadline, 2020-01-01T00:00:00.000Z, has passed');
    expect(page).toContain('Nothing was executed');
    expect(story.model.requests).toHaveLength(0);
  });
});
