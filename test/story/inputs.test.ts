import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

describe('what comes in', () => {
  it('the files of a task folder lie in a folder of their own, where the task works', async () => {
    await using story = await openStory();
    const inbox = join(story.home.workspace, 'inbox');
    story.write('staged/numbers.csv', 'n\n1\n2\n3\n');
    story.write('staged/parts/more.txt', 'more\n');
    story.write(
      'staged/TASK.md',
      "---\nid: folder\naccept: ['rows: numbers.csv == 3', 'contains: sum.txt \"6\"']\n---\n```bash\ncat parts/more.txt\nawk '{s+=$1} END {print s}' numbers.csv > sum.txt\n```\n",
    );
    execFileSync('mv', [join(story.home.dir, 'staged'), join(inbox, 'sums')]);
    story.work();
    const { status, page } = await story.ended('folder');
    expect(page).toContain('2 of 2 criteria met');
    expect(status).toBe('done');
    expect(story.deskText('folder/sum.txt')).toBe('6\n');
    expect(existsSync(join(inbox, 'sums'))).toBe(false);
    const [received] = await story.eventsOf('task.received');
    expect(received?.data.files.map(({ name }) => name).toSorted()).toEqual(['numbers.csv', 'parts/more.txt']);
  });

  it('what is not a task is put aside with the reason, and the tasks around it are done', async () => {
    await using story = await openStory();
    const inbox = join(story.home.workspace, 'inbox');
    story.drop('1-good.md', '---\nid: one\n---\n```bash\ntrue\n```\n');
    story.drop('2-colour.md', '---\ncolour: blue\n---\nhello\n');
    story.drop('3-type.md', '---\nbudget: much\n---\nhello\n');
    story.drop('4-nul.md', 'a\0b');
    story.drop('5-fence.md', '---\nid: five\n---\n```bash timeout:soon\ntrue\n```\n');
    symlinkSync('/etc/passwd', join(inbox, '6-link.md'));
    execFileSync('mkfifo', [join(inbox, '7-pipe.md')]);
    story.drop('8-good.md', '---\nid: eight\n---\n```bash\ntrue\n```\n');
    story.work();
    expect((await story.ended('one')).status).toBe('done');
    expect((await story.ended('eight')).status).toBe('done');
    const five = await story.ended('five');
    expect(five.status).toBe('failed');
    expect(five.reason).toMatch(/line 4: timeout "soon"/);
    const reasons = await story.until('the rejections', async () => {
      const rejected = await story.eventsOf('task.rejected');
      return rejected.length >= 3 ? rejected.map(({ data }) => data.reason).join('\n') : undefined;
    });
    expect(reasons).toContain('"colour" is not known');
    expect(reasons).toContain('"budget"');
    const aside = readdirSync(join(inbox, 'rejected')).filter(
      (name) => name.startsWith('2-colour') && /reason/.test(name),
    );
    expect(readFileSync(join(inbox, 'rejected', aside[0] ?? ''), 'utf8')).toContain('"colour" is not known');
    expect(story.told.join('\n')).toContain('not a task: 2-colour.md');
  });
});
