import { describe, expect, it } from 'vitest';
import { openStory, type Story } from '../support/story.ts';
import { inParts, partOf, plan, type Step } from '../support/story-model.ts';

const TASK = `---
id: two-files
accept:
  - 'contains: first.txt "one"'
  - 'contains: second.txt "two"'
---
Write one into first.txt and two into second.txt.
`;

const write = (id: string, path: string, content: string) => ({
  id,
  tool: 'files.write',
  input: { path, content },
  targets: [path],
});

const plansAsked = (story: Story) => story.model.requests.filter((request) => partOf(request) === 'planner');

describe('planning anew', () => {
  it('knows which steps ran, and why the last plan was not enough', async () => {
    await using story = await openStory({
      model: inParts({
        planner: ({ text }) =>
          text.includes('Why the last plan was not enough')
            ? plan([{ ...write('mend', 'second.txt', 'two\n'), needs: ['second'] }], [])
            : plan([write('first', 'first.txt', 'one\n'), write('second', 'second.txt', 'tow\n')], ['file: first.txt']),
      }),
    });
    story.drop('two-files.md', TASK);
    story.work();
    const { status, page } = await story.ended('two-files');
    expect(page).toContain('✅ Done.** 4 of 4 criteria met.');
    expect(status).toBe('done');
    expect(plansAsked(story)).toHaveLength(2);
    expect(plansAsked(story)[1]?.text).toMatch(/second\.txt "two"[^]*is not in second\.txt/);
    expect(plansAsked(story)[1]?.text).toMatch(/Steps that ran[^]*- first: first[^]*- second: second/);
    const writes = (await story.eventsOf('call.started')).filter(({ data }) => data.tool === 'files.write');
    expect(writes.map(({ data }) => data.node)).toEqual(['first', 'second', 'mend']);
    expect((await story.eventsOf('run.moved', 'two-files')).map(({ data }) => data.to)).toEqual([
      'EXECUTE',
      'CRITIQUE',
      'REPLAN',
      'EXECUTE',
      'CRITIQUE',
    ]);
    expect(page).toContain('replanned once');
  });

  it('ends, with the reason, when no plan gets it done', async () => {
    await using story = await openStory({
      model: inParts({
        planner: ({ number }) => plan([write(`try${number}`, 'second.txt', 'tow\n')], ['file: second.txt']),
      }),
    });
    story.drop('two-files.md', TASK);
    story.work();
    const { status, reason, page } = await story.ended('two-files');
    expect(status).toBe('failed');
    expect(reason).toContain('may not be planned again');
    expect(page).toContain('Not done');
    expect(page).toContain('"two" is not in second.txt');
    expect(plansAsked(story)).toHaveLength(4);
  });

  const shell = { id: 'shell', tool: 'shell', input: { line: 'printf two > second.txt' }, targets: ['second.txt'] };
  const list = { id: 'list', tool: 'files.list', input: {} };
  /** The first plan lacks a tool that the second needs. */
  const widening = (first: readonly Step[], second: Step) =>
    inParts({
      planner: ({ text }) =>
        text.includes('Why the last plan') ? plan([second], []) : plan([...first], ['file: first.txt']),
    });
  const writesFirst = write('first', 'first.txt', 'one\n');

  it('may use a further tool when nothing was read', async () => {
    await using story = await openStory({ model: widening([writesFirst], { ...shell, targets: ['**'] }) });
    story.drop('two-files.md', TASK);
    story.work();
    expect(await story.ended('two-files')).toMatchObject({ status: 'done' });
  });

  it('may use a further tool, whatever was read, for what the operator named', async () => {
    await using story = await openStory({ model: widening([list, writesFirst], shell) });
    story.drop('two-files.md', TASK);
    story.work();
    expect(await story.ended('two-files')).toMatchObject({ status: 'done' });
    expect(story.deskText('second.txt')).toBe('two');
  });

  it.each([
    ['approve', 'done'],
    ['deny', 'failed'],
  ])('asks about a further tool for other targets after something was read: %s', async (reply, status) => {
    await using story = await openStory({ model: widening([list, writesFirst], { ...shell, targets: ['**'] }) });
    story.drop('two-files.md', TASK);
    story.work();
    const { wait, for: awaited } = await story.asked('approval');
    expect(awaited).toMatchObject({ text: expect.stringContaining('wants to use shell and to change **') });
    const asked = plansAsked(story).length;
    expect((await story.oka(reply, wait)).code).toBe(0);
    expect(await story.ended('two-files')).toMatchObject({ status });
    expect(story.deskText('second.txt')).toBe(reply === 'approve' ? 'two' : null);
    expect(plansAsked(story)).toHaveLength(asked);
  });

  it.each([
    ['is not done as long as it is there', 'second.txt', 'failed'],
    ['is done when it was taken back', 'theirs.txt', 'done'],
  ])('J4 a change outside of the targets, made under an earlier plan, %s', async (_, second, status) => {
    await using story = await openStory({
      model: inParts({
        planner: ({ number, text }) =>
          text.includes('Why the last plan')
            ? plan([write(`mend${number}`, second, second === 'theirs.txt' ? 'theirs\n' : 'two\n')], [])
            : plan(
                [
                  write('first', 'first.txt', 'one\n'),
                  write('second', 'second.txt', 'two\n'),
                  { ...write('stray', 'theirs.txt', 'mine now\n'), targets: [] },
                ],
                ['file: first.txt'],
              ),
      }),
    });
    story.write('workspace/desk/theirs.txt', 'theirs\n');
    story.drop('two-files.md', TASK);
    story.work();
    const ended = await story.ended('two-files');
    expect(ended.status).toBe(status);
    expect(plansAsked(story)[1]?.text).toContain('changed outside the declared targets: theirs.txt');
  });
});
