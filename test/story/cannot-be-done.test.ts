import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, plan, verdict } from '../support/story-model.ts';
import { call, calls } from '../support/wire-server-reply.ts';

const TOOLS = ['files.read', 'files.write', 'files.edit', 'files.list'];
const TASK = '---\nid: total\n---\nAdd up the amounts in december.csv and write the total to december.txt.\n';
const CRITERIA = ['matches: december.txt /^\\d+/', 'december.txt has the total of december.csv.'];
const planned = (id: string) => plan([goal(id, 'Add up december.csv', TOOLS, ['december.txt'])], CRITERIA);
const refuses = call('fail', { reason: 'december.csv is not there.' });

describe('a task that cannot be done with what is there', () => {
  it('ends when the planner says so after the first failure, with the reasons of both', async () => {
    await using story = await openStory({
      model: inParts({
        planner: ({ tools }) =>
          tools.includes('cannot_be_done')
            ? call('cannot_be_done', { reason: 'Put december.csv on the desk.' })
            : planned('add'),
        executor: acting(call('files_list', {}), refuses),
        critic: () => verdict('rework', [{ criterion: 'c1', holds: false, evidence: '', quote: '' }]),
      }),
    });
    story.drop('total.md', TASK);
    story.work();
    const { status, reason, page } = await story.ended('total');
    expect(status).toBe('failed');
    expect(reason).toContain('no plan can do it: Put december.csv on the desk.');
    expect(page).toContain('**❌ Not possible.** 0 of 2 criteria met.');
    expect(page).toContain('december.csv is not there.');
    expect(story.model.requests).toHaveLength(5);
  });

  it('ends after two workers in a row that report the same, without a third plan', async () => {
    await using story = await openStory({
      model: inParts({
        planner: ({ number }) => planned(`add${number}`),
        executor: () => refuses,
        critic: () => verdict('rework', [{ criterion: 'c1', holds: false, evidence: '', quote: '' }]),
      }),
    });
    story.drop('total.md', TASK);
    story.work();
    const { status, page } = await story.ended('total');
    expect(status).toBe('failed');
    expect(page).toContain('❌ Not possible');
    expect(page).toContain('december.csv is not there.');
    expect(story.model.requests).toHaveLength(6);
  });

  it('the first plan is not offered to give up', async () => {
    await using story = await openStory({
      model: inParts({ planner: () => call('cannot_be_done', { reason: 'too hard' }) }),
    });
    story.drop('total.md', TASK);
    story.work();
    const { status, page } = await story.ended('total');
    expect(status).toBe('failed');
    expect(page).not.toContain('Not possible');
  });
});

describe('an answer in the same turn as the last change', () => {
  const hasty = inParts({
    planner: () => plan([goal('write', 'Write a.txt', TOOLS, ['a.txt'])], ['contains: a.txt "ready"']),
    executor: ({ text }) =>
      calls([
        /Turn 1\./.test(text)
          ? { name: 'files_edit', input: { path: 'a.txt', old: 'almost', new: 'ready' } }
          : { name: 'files_write', input: { path: 'a.txt', content: 'ready\n' } },
        { name: 'finish', input: { output: 'a.txt is written.' } },
      ]),
  });

  it('counts once the change has succeeded; after one that failed the worker is asked again', async () => {
    await using story = await openStory({ model: hasty });
    story.drop('a.md', '---\nid: a\n---\nWrite the word ready into a.txt.\n');
    story.work();
    const { status, page } = await story.ended('a');
    expect(status).toBe('done');
    expect(page).toContain('a.txt is written.');
    const ended = (await story.eventsOf('call.ended')).filter(({ data }) => data.node === 'write');
    expect([...new Set(ended.map(({ data }) => data.status))]).toEqual(['failed', 'ok']);
    expect(story.model.requests, 'a plan, two turns, and whether it is done as a whole').toHaveLength(4);
  });
});
