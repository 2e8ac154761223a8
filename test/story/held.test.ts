import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

const runbook = (id: string, code: string): string => `---\nid: ${id}\n---\n\`\`\`bash\n${code}\n\`\`\`\n`;
const yes = (is: boolean): true | undefined => (is ? true : undefined);

describe('what a person holds', () => {
  it('H1 .oka/STOP ends a running command, and its removal goes on without doing it twice', async () => {
    await using story = await openStory();
    story.drop('long.md', runbook('long', 'echo begun >> marks.txt\nsleep 600 && echo ended >> marks.txt'));
    story.work();
    await story.until('the command', async () => yes(story.deskText('marks.txt') !== null));
    story.write('.oka/STOP', '');
    await story.until('its end', async () =>
      (await story.eventsOf('call.ended')).find(({ data }) => data.status === 'cancelled'),
    );
    story.drop('later.md', runbook('later', 'echo later > later.txt'));
    const before = await story.until('rest', async () => {
      const { length } = await story.events();
      await new Promise((done) => setTimeout(done, 300));
      return (await story.events()).length === length ? length : undefined;
    });
    await new Promise((done) => setTimeout(done, 700));
    expect((await story.eventsOf('run.started')).filter(({ run }) => run === 'later')).toEqual([]);
    expect((await story.events()).length).toBe(before);
    rmSync(join(story.home.oka, 'STOP'));
    expect((await story.ended('later')).status).toBe('done');
    const { wait } = await story.asked('question');
    await story.oka('answer', wait, 'fail');
    expect((await story.ended('long')).status).toBe('failed');
    expect(story.deskText('marks.txt')).toBe('begun\n');
  });

  it('H1 W2 a stop that lasted only a moment leaves nothing behind that does not go on', async () => {
    await using story = await openStory();
    const code = 'echo x >> go.txt; until [ -e end.txt ]; do sleep 0.1; done';
    story.drop('go.md', runbook('go', code));
    story.work();
    await story.until('the command', async () => yes(story.deskText('go.txt') !== null));
    story.write('.oka/STOP', '');
    await story.until('its end', async () =>
      (await story.eventsOf('call.ended')).find(({ data }) => data.status === 'cancelled'),
    );
    rmSync(join(story.home.oka, 'STOP'));
    const { wait } = await story.asked('question');
    story.write('workspace/desk/end.txt', '');
    await story.oka('answer', wait, 'repeat');
    expect((await story.ended('go')).status).toBe('done');
  });

  it('H1 what is answered or resumed while everything is stopped goes on afterwards, and not before', async () => {
    await using story = await openStory({
      policy: (text) => text.replace('write_local: allow', 'write_local: ask'),
    });
    story.drop('asks.md', runbook('asks', 'echo x >> asks.txt'));
    story.drop('fails.md', runbook('fails', 'ls go.txt'));
    story.work();
    const { wait } = await story.asked('approval');
    expect((await story.ended('fails')).status).toBe('failed');
    story.write('workspace/desk/go.txt', '');
    story.write('.oka/STOP', '');
    const begun = (await story.eventsOf('call.started')).length;

    const later = expect.stringContaining('nothing runs now, since') as string;
    expect(await story.oka('approve', wait)).toMatchObject({ code: 0, out: later });
    expect(await story.oka('resume', 'fails')).toMatchObject({ code: 0, out: later });
    await new Promise((done) => setTimeout(done, 1500)); // longer than it takes to make these calls
    expect(await story.eventsOf('call.started')).toHaveLength(begun);
    rmSync(join(story.home.oka, 'STOP'));
    for (const id of ['asks', 'fails-again']) expect((await story.ended(id)).status).toBe('done');
    expect(story.deskText('asks.txt')).toBe('x\n');
  });

  it('oka pause lets the command that is running finish, and resuming asks nothing', async () => {
    await using story = await openStory();
    const code = 'echo begun >> marks.txt; until [ -e go.txt ]; do sleep 0.1; done; echo ended >> marks.txt';
    story.drop('long.md', `${runbook('long', code)}\n\`\`\`bash\necho next >> marks.txt\n\`\`\`\n`);
    story.work();
    await story.until('the command', async () => yes(story.deskText('marks.txt') !== null));
    expect(await story.oka('pause', 'lon')).toMatchObject({ code: 0, err: '' });
    story.write('workspace/desk/go.txt', '');
    await story.until('the pause', async () => yes((await story.eventsOf('run.paused')).length === 2));
    expect(story.deskText('marks.txt')).toBe('begun\nended\n');
    expect((await story.eventsOf('call.ended')).filter(({ data }) => data.status === 'cancelled')).toEqual([]);
    expect((await story.oka('status')).out).toContain('paused; continue it with: oka resume long\n');
    expect(await story.oka('resume', 'long')).toMatchObject({ code: 0, out: expect.stringContaining('long done') });
    expect((await story.ended('long')).status).toBe('done');
    expect(story.deskText('marks.txt')).toBe('begun\nended\nnext\n');
    expect(
      await story.eventsOf('wait.opened').then((all) => all.filter(({ data }) => data.for.kind === 'question')),
    ).toEqual([]);
  });

  it('oka pause --now ends the command, and the question about it says so', async () => {
    await using story = await openStory();
    story.drop('long.md', runbook('long', 'echo begun >> marks.txt; sleep 600'));
    story.work();
    await story.until('the command', async () => yes(story.deskText('marks.txt') !== null));
    expect(await story.oka('pause', 'long', '--now')).toMatchObject({
      code: 0,
      out: 'Paused. Continue with: oka resume long\n',
    });
    await story.oka('resume', 'long');
    const { wait, for: asked } = await story.asked('question');
    expect(asked).toMatchObject({
      text: expect.stringMatching(/was ended before it had finished, because the run was stopped/),
    });
    await story.oka('answer', 'done');
    expect((await story.ended('long')).status).toBe('done');
    expect(wait).toContain('long');
  });

  it('W3 while paused nothing new begins and the queue fills; unpaused everything is done, in order', async () => {
    // Files that are there before the worker, and need not settle, are all known when the first one is chosen.
    await using story = await openStory({ config: { inbox: { settle_ms: 0, rescan_ms: 200, parallel: 1 } } });
    expect((await story.oka('pause')).code).toBe(0);
    for (const [name, priority] of Object.entries({ a: 0, b: 5, c: 0 }))
      story.drop(
        `${name}.md`,
        `---\nid: ${name}\npriority: ${priority}\n---\n\`\`\`bash\necho ${name} >> order.txt\n\`\`\`\n`,
      );
    expect((await story.oka('add', '```bash\necho added >> order.txt\n```')).code).toBe(0);
    story.work();
    await story.until('the worker', async () => (await story.eventsOf('worker.started'))[0]);
    await new Promise((done) => setTimeout(done, 1500));
    expect(await story.eventsOf('task.received')).toEqual([]);
    expect((await story.oka('unpause')).out).toContain('start again');
    await story.until('all four', async () => yes((await story.eventsOf('run.judged')).length === 4));
    await story.ended('c');
    expect(story.deskText('order.txt')?.split('\n', 1)).toEqual(['b']);
    expect(story.deskText('order.txt')?.trim().split('\n').toSorted()).toEqual(['a', 'added', 'b', 'c']);
  });
});
