import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, partOf, plan, verdict } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

const PATIENT = 'until [ -e go.txt ]; do sleep 0.05; done; echo went';

const unmetIn = (text: string) =>
  [...text.matchAll(/^(c\d+): /gm)].map(([, criterion = '']) => ({ criterion, holds: false, evidence: '', quote: '' }));

const runningCall = (story: Story): Promise<string> =>
  story.until('a command that runs', async () => {
    const ended = new Set((await story.eventsOf('call.ended')).map(({ data }) => data.call));
    const open = (await story.eventsOf('call.started')).find(
      ({ data }) => data.tool === 'shell' && !ended.has(data.call),
    );
    return open?.run ?? undefined;
  });

describe('a note to whoever works on a run', () => {
  it('is in the next prompt of the worker, as words of the operator, also after the process was killed', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () => plan([goal('wait', 'Wait for go.txt', ['shell'])], ['file: song.txt']),
        executor: acting(call('shell', { line: PATIENT }), call('shell', { line: 'echo la > song.txt' })),
      }),
    });
    story.drop('wait.md', '---\nid: wait\naccept:\n  - "file: song.txt"\n---\nWait until there is a file go.txt.\n');
    const worker = story.start(['worker']);
    const inner = await runningCall(story);
    const sent = await story.oka('note', 'wait', 'also sing a song');
    expect(sent).toMatchObject({ code: 0, out: 'Noted; the worker reads it at its next turn.\n' });
    expect((await story.eventsOf('note.received')).map(({ run, data }) => [run, data.text])).toEqual([
      ['wait', 'also sing a song'],
      [inner, 'also sing a song'],
    ]);
    expect(story.model.requests.some(({ text }) => text.includes('also sing a song'))).toBe(false);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    story.write('workspace/desk/go.txt', 'now\n');
    story.work();
    expect(await story.ended('wait')).toMatchObject({ status: 'done' });
    const later = story.model.requests.filter(({ text }) => text.includes('Turn 2.'));
    expect(later.length).toBeGreaterThan(0);
    for (const { text } of later)
      expect(text).toContain('While you worked, the operator added to the goal:\n- also sing a song');
    expect((await story.oka('replay', inner)).code).toBe(0);
    expect((await story.oka('explain', 'wait')).out).toContain('note: also sing a song');
  });

  it('is in the prompts of the critic and of whoever plans again', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () => plan([goal('wait', 'Wait for go.txt', ['shell'])], ['It waited.']),
        executor: acting(call('shell', { line: PATIENT })),
        critic: ({ text }) => verdict('rework', unmetIn(text)),
      }),
    });
    story.drop('wait.md', '---\nid: wait\n---\nWait until there is a file go.txt.\n');
    story.work();
    await runningCall(story);
    await story.oka('note', 'wait', 'also sing a song');
    story.write('workspace/desk/go.txt', 'now\n');
    await story.ended('wait');
    const added = 'While it was worked on, the operator added to the task:\n- also sing a song';
    const [first, ...again] = story.model.requests.filter((request) => partOf(request) === 'planner');
    const critics = story.model.requests.filter((request) => partOf(request) === 'critic');
    expect(first?.text).not.toContain('sing a song');
    expect(Math.min(again.length, critics.length)).toBeGreaterThan(0);
    for (const { text } of [...again, ...critics]) expect(text).toContain(added);
  });

  it('to a run whose steps are fixed says that nobody reads it, and can stop it after this step', async () => {
    await using story = await openStory();
    const block = (line: string): string => `\`\`\`bash\n${line}\n\`\`\`\n\n`;
    story.drop('fixed.md', `---\nid: fixed\n---\n# Two steps\n\n${block(PATIENT)}${block('echo two > two.txt')}`);
    story.work();
    const inner = await runningCall(story);
    expect((await story.oka('note', 'fixed', 'and be nice')).out).toBe(
      'Noted in the ledger, but nobody reads it: the steps of this run are fixed.\n',
    );
    expect((await story.oka('note', 'fixed', '--stop-after-step')).out).toBe(
      'It pauses when the step in progress has ended.\n',
    );
    story.write('workspace/desk/go.txt', 'now\n');
    const [paused] = await story.until('a pause', async () => {
      const events = await story.eventsOf('run.paused', inner);
      return events.length > 0 ? events : undefined;
    });
    expect(paused?.data.reason).toBe('stopped after this step, as a person asked');
    expect(story.deskText('two.txt')).toBe(null);
    expect((await story.oka('resume', 'fixed')).code).toBe(0);
    expect(await story.ended('fixed')).toMatchObject({ status: 'done' });
    expect(story.deskText('two.txt')).toBe('two\n');
    expect((await story.oka('replay', inner)).code).toBe(0);
    const late = await story.oka('note', 'fixed', 'too late');
    expect(late).toMatchObject({ code: 3, err: expect.stringContaining('oka correct fixed') });
  });
});
