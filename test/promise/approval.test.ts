import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, plan } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

const TASK = `---
id: note
accept:
  - 'contains: note.txt "remember"'
---
Write a note into note.txt.
`;

const ASKING = (policy: string): string => policy.replace('write_local: allow', 'write_local: ask');

const byTool = inParts({
  planner: () =>
    plan(
      [{ id: 'write', tool: 'files.write', input: { path: 'note.txt', content: 'remember\n' }, targets: ['note.txt'] }],
      ['file: note.txt'],
    ),
});

async function asking(model = byTool): Promise<Story> {
  const story = await openStory({ model, policy: ASKING });
  story.drop('note.md', TASK);
  story.work();
  return story;
}

describe('a step that needs an approval', () => {
  it('waits, tells in its result how to approve, and is finished when oka approve says so', async () => {
    await using story = await asking();
    const { wait } = await story.asked('approval');
    const page = await story.until('a result', async () => story.page('note') ?? undefined);
    expect(page).toContain('⏸️ Blocked');
    expect(page).toContain('`oka approve note`');
    expect(story.deskText('note.txt')).toBeNull();
    expect((await story.oka('status')).out).toMatch(/note[^]*waits for your approval/);
    expect((await story.oka('approve', wait)).code).toBe(0);
    const { status, page: final } = await story.ended('note');
    expect(status).toBe('done');
    expect(final).not.toContain('Open questions');
    expect(story.deskText('note.txt')).toBe('remember\n');
  });

  it('is answered by a word on its page; a word that means nothing is pointed out there', async () => {
    await using story = await asking();
    const { wait } = await story.asked('approval');
    const file = join(story.home.oka, 'approvals', `${wait}.md`);
    const text = await story.until('the page', async () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));
    writeFileSync(file, text.replace(/^decision:$/m, 'decision: sure'));
    const next = await story.until('the page again', async () => {
      const found = readFileSync(file, 'utf8');
      return found.includes('not understood') ? found : undefined;
    });
    expect(next).toContain('"sure" is neither approve nor deny');
    expect(story.deskText('note.txt')).toBeNull();
    writeFileSync(file, next.replace(/^decision:$/m, 'decision: yes'));
    expect((await story.ended('note')).status).toBe('done');
  });

  it('is allowed by oka approve without a name, as long as nothing else asks', async () => {
    await using story = await asking();
    await story.asked('approval');
    expect(await story.oka('approve')).toMatchObject({ code: 0, err: '' });
    expect((await story.ended('note')).status).toBe('done');
    expect(await story.oka('approve')).toMatchObject({
      code: 3,
      err: expect.stringContaining('no approval is awaited'),
    });
  });

  it('is allowed by oka answer with a yes in a language of oka, not with a number or a sentence', async () => {
    await using story = await asking();
    const { wait } = await story.asked('approval');
    for (const words of [['1'], ['ok'], ['it', 'says', 'yes'], ['yes', 'and', 'more']])
      expect(await story.oka('answer', wait, ...words)).toMatchObject({
        code: 2,
        err: expect.stringContaining('needs yes or no'),
      });
    expect(story.deskText('note.txt')).toBeNull();
    expect((await story.oka('answer', wait, 'Ja')).code).toBe(0);
    expect((await story.ended('note')).status).toBe('done');
  });

  it('ends with the reason when it is denied', async () => {
    await using story = await asking();
    const { wait } = await story.asked('approval');
    expect((await story.oka('deny', wait, 'not', 'on', 'my', 'desk')).code).toBe(0);
    const { status, reason, page } = await story.ended('note');
    expect(status).toBe('failed');
    expect(reason).toContain('not on my desk');
    expect(page).toContain('not on my desk');
    expect(story.model.requests).toHaveLength(1);
    expect(story.deskText('note.txt')).toBeNull();
  });

  it('is told to the agent when it is denied, who may find another way', async () => {
    await using story = await asking(
      inParts({
        planner: () => plan([goal('write', 'Write the note', ['files.write'])], ['file: note.txt']),
        executor: ({ text, ...request }) =>
          text.includes('→ denied')
            ? call('fail', { reason: 'the person does not want it' })
            : acting(call('files_write', { path: 'note.txt', content: 'remember\n' }))({ text, ...request }),
      }),
    );
    const { wait } = await story.asked('approval');
    await story.oka('deny', wait, 'no notes');
    const { status, reason } = await story.ended('note');
    expect(status).toBe('failed');
    expect(reason).toContain('the person does not want it');
    expect(story.model.requests.some(({ text }) => text.includes('no notes'))).toBe(true);
    expect(story.deskText('note.txt')).toBeNull();
  });

  it('J5 checks that need one, too, are each asked about once, and then the task ends', async () => {
    await using story = await openStory({ policy: ASKING });
    const checks = ['command: echo looked >> looks.txt', 'file: a.txt', 'command: echo again >> looks.txt'];
    const accept = [...checks, 'The letter is a good one.'].map((each) => `  - '${each}'\n`).join('');
    story.drop('checked.md', `---\nid: checked\naccept:\n${accept}---\n\`\`\`bash\necho a > a.txt\n\`\`\`\n`);
    story.work();
    const asked: string[] = [];
    for (let question = 1; question <= 4; question += 1) {
      const { wait, for: awaited } = await story.asked('approval');
      asked.push(awaited.kind === 'approval' ? (awaited.asked?.command.trim() ?? 'vouch') : '');
      expect((await story.oka('approve', wait)).code).toBe(0);
      await story.until('the answer', async () => ((await isOpen(story, wait)) ? undefined : true));
    }
    expect(asked).toEqual(['echo a > a.txt', 'echo looked >> looks.txt', 'echo again >> looks.txt', 'vouch']);
    expect((await story.ended('checked')).status).toBe('done');
    const made = (await story.eventsOf('call.started')).filter(
      ({ data }) => data.tool === 'shell' && data.node === null,
    );
    const ended = (await story.eventsOf('call.ended')).filter(({ data }) => data.status === 'ok');
    const executed = made.filter(({ data }) => ended.some((each) => each.data.call === data.call));
    expect(executed.map(({ data }) => (data.input as { line: string }).line)).toEqual([asked[1], asked[2]]);
    expect(story.deskText('looks.txt')).toBeNull();
  });
});

async function isOpen(story: Story, wait: string): Promise<boolean> {
  return (await story.waiting()).some((each) => each.wait === wait);
}
