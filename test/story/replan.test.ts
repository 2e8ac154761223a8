import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { inParts, plan } from '../support/story-model.ts';

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

describe('planning anew', { timeout: 90_000 }, () => {
  it('keeps finished steps after a failed check, and hears why the last plan did not do', async () => {
    await using story = await openStory({
      model: inParts({
        planner: ({ text }) =>
          text.includes('Why the last plan was not enough')
            ? plan([{ ...write('mend', 'second.txt', 'two\n'), needs: ['second'] }], ['file: ignored.txt'])
            : plan([write('first', 'first.txt', 'one\n'), write('second', 'second.txt', 'tow\n')], ['file: first.txt']),
      }),
    });
    story.drop('two-files.md', TASK);
    story.work();
    const { status, page } = await story.ended('two-files');
    expect(page).toContain('✅ Done.** 3 of 3 criteria met.');
    expect(status).toBe('done');
    expect(story.model.requests).toHaveLength(2);
    expect(story.model.requests[1]?.text).toMatch(/second\.txt "two"[^]*is not in second\.txt/);
    expect(story.model.requests[1]?.text).toMatch(/Done already[^]*- first: first[^]*- second: second/);
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
    expect(story.model.requests).toHaveLength(4);
  });

  it('gets no changing tool that the first plan did not have', async () => {
    await using story = await openStory({
      model: inParts({
        planner: ({ text }) =>
          text.includes('Why the last plan')
            ? plan(
                [{ id: 'shell', tool: 'shell', input: { line: 'echo two > second.txt' }, targets: ['**'] }],
                ['x is y'],
              )
            : plan([write('first', 'first.txt', 'one\n')], ['file: first.txt']),
      }),
    });
    story.drop('two-files.md', TASK);
    story.work();
    const { status, reason } = await story.ended('two-files');
    expect(status).toBe('failed');
    expect(reason).toContain('there is no tool "shell"');
    expect(story.deskText('second.txt')).toBeNull();
  });

  it.each([
    ['is not done as long as it is there', 'second.txt', 'failed'],
    ['is done when it was taken back', 'theirs.txt', 'done'],
  ])('J4 a change outside of the targets, made under an earlier plan, %s', async (_, second, status) => {
    await using story = await openStory({
      model: inParts({
        planner: ({ number, text }) =>
          text.includes('Why the last plan')
            ? plan([write(`mend${number}`, second, second === 'theirs.txt' ? 'theirs\n' : 'two\n')], ['file: x.txt'])
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
    expect(story.model.requests[1]?.text).toContain('changed outside the declared targets: theirs.txt');
  });
});
