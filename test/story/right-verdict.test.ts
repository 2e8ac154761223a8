import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, type Parts, plan, verdict } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

const TOOLS = ['files.read', 'files.write', 'files.list', 'shell'];
const refuses: Parts['critic'] = () => verdict('rework', []);

describe('one rule for paths: what a model writes starts at the desk', { timeout: 90_000 }, () => {
  const cleaned = (content: string, criterion: string) =>
    inParts({
      planner: () => plan([goal('clean', 'Remove the secret from job/a.txt', TOOLS, ['job/**'])], [criterion]),
      executor: acting(call('files_write', { path: 'job/a.txt', content })),
      critic: refuses,
    });
  const TASK = '---\nid: job\nbudget: { replans: 0 }\n---\nRemove every line with the word hidden from a.txt.\n';

  it('right work is accepted by a command that names the file from the desk', async () => {
    await using story = await openStory({ model: cleaned('open\n', 'command: ! grep -q hidden job/a.txt') });
    story.drop('job/a.txt', 'open\nhidden\n');
    story.drop('job/TASK.md', TASK);
    story.work();
    expect(await story.ended('job')).toMatchObject({ status: 'done' });
  });

  it('a negated search finds what is still there', async () => {
    await using story = await openStory({ model: cleaned('open\nhidden!\n', 'command: ! grep -q hidden job/a.txt') });
    story.drop('job/a.txt', 'open\nhidden\n');
    story.drop('job/TASK.md', TASK);
    story.work();
    const { status, page } = await story.ended('job');
    expect(status).toBe('failed');
    expect(page).toContain('❌ command: ! grep -q hidden');
  });
});
