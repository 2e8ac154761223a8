import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStory, type Story } from '../support/story.ts';

const task = (id: string, line: string): string => `---\nid: ${id}\n---\n\`\`\`bash\n${line}\n\`\`\`\n`;

function copyIn(story: Story, run: string, path: string): string | null {
  const file = join(story.home.workspace, 'outbox', run, 'files', path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

describe('what a task delivers', () => {
  it('is next to its result, also when the next task has replaced it on the desk', async () => {
    await using story = await openStory();
    story.work();
    story.drop(
      'one.md',
      task('one', 'mkdir -p out; echo first > out/summary.md; echo "run me" > .envrc; touch empty.txt'),
    );
    const { page } = await story.ended('one');
    expect(page).toContain('[files](files)');
    story.drop('two.md', task('two', 'echo second > out/summary.md'));
    await story.ended('two');
    expect(story.deskText('out/summary.md')).toBe('second\n');
    expect([copyIn(story, 'one', 'out/summary.md'), copyIn(story, 'two', 'out/summary.md')]).toEqual([
      'first\n',
      'second\n',
    ]);
    expect([copyIn(story, 'one', 'empty.txt'), copyIn(story, 'one', '.envrc')]).toEqual(['', null]);
  });

  it('is linked from the result, by links that open the file, except what makes other programs run', async () => {
    await using story = await openStory();
    story.work();
    story.drop('named.md', task('named', 'mkdir -p "a (b)"; echo 1 > "a (b)/c #1%.md"; echo 2 > .envrc'));
    story.drop('own/data.txt', 'x\n');
    story.drop('own/TASK.md', task('own', 'echo y > more.txt'));
    story.drop('broken.md', task('broken', 'echo half > half.txt; exit 3'));
    const linked = async (run: string): Promise<string[]> => {
      const { page } = await story.ended(run);
      const targets = [...page.matchAll(/- (?:new|changed) \[`[^`]*`\]\(([^)]*)\)/g)].map(([, target = '']) => target);
      const folder = join(story.home.workspace, 'outbox', run);
      return targets.map((target) => readFileSync(join(folder, decodeURIComponent(target)), 'utf8'));
    };
    expect(await linked('named')).toEqual(['1\n']);
    expect(await linked('own')).toEqual(['y\n']);
    expect(await linked('broken')).toEqual(['half\n']);
    expect((await story.ended('own')).page).toContain('(../../desk/own/more.txt)');
  });

  it('is not copied for a task with a folder of its own, nor for one that failed', async () => {
    await using story = await openStory();
    story.work();
    story.drop('own/data.txt', 'x\n');
    story.drop('own/TASK.md', task('own', 'echo y > more.txt'));
    story.drop('broken.md', task('broken', 'echo half > half.txt; exit 3'));
    expect([(await story.ended('own')).status, (await story.ended('broken')).status]).toEqual(['done', 'failed']);
    expect([existsSync(join(story.home.workspace, 'outbox/own/files')), copyIn(story, 'broken', 'half.txt')]).toEqual([
      false,
      null,
    ]);
  });
});
