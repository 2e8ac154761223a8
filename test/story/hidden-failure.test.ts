import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { inParts, plan, refusing } from '../support/story-model.ts';

describe('a failure that a list hides', () => {
  it('a runbook is not done where a program in a step was not found, though the step ended with 0', async () => {
    await using story = await openStory();
    story.drop('cow.md', '---\nid: cow\n---\n# Cow\n```bash\nno-such-cow moo > cow.txt; ls > /dev/null\n```\n');
    story.work();
    const { status, page } = await story.ended('cow');
    expect(status).toBe('failed');
    expect(page).toContain('no-such-cow moo > cow.txt was not found, although its command ended with exit status 0');
  });

  it('nor where its message was thrown away, or a package manager could not install', async () => {
    await using story = await openStory();
    story.drop('quiet.md', '---\nid: quiet\n---\n# Cow\n```bash\nno-such-cow moo 2> /dev/null | tail -2\n```\n');
    story.drop('pack.md', '---\nid: pack\n---\n# Cow\n```bash\nnpm install ./nowhere 2>&1 | tail -2; ls\n```\n');
    story.work();
    const [quiet, pack] = [await story.ended('quiet'), await story.ended('pack')];
    expect([quiet.status, pack.status]).toEqual(['failed', 'failed']);
    expect(quiet.page).toContain('no-such-cow was not found, although its command ended with exit status 0');
    expect(pack.page).toMatch(/npm install \.\/nowhere ended with exit status \d+, although/);
  });

  it('an empty file does not meet what a model checks about a file that is to be made', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () =>
          plan(
            [{ id: 'make', tool: 'shell', input: { line: 'true > cow.txt' }, targets: ['cow.txt'] }],
            ['file: cow.txt'],
          ),
        critic: refusing,
      }),
    });
    story.drop('cow.md', '---\nid: cow\nbudget: { replans: 0 }\n---\nDraw a cow into the file of that name.\n');
    story.work();
    const { status, page } = await story.ended('cow');
    expect(status).toBe('failed');
    expect(page).toContain('cow.txt is there, but it is empty');
  });
});
