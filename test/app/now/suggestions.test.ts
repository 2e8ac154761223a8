import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suggestTasks } from '../../../src/app/now/suggestions.ts';
import { programFolders } from '../../../src/kit/settings.ts';
import { readTask } from '../../../src/kit/inbox/parse-task.ts';
import { kindOf } from '../../../src/kit/task/task-kind.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { openStory } from '../../support/story.ts';

const titles = (path: string, folders: string[] = []): string[] =>
  suggestTasks([path], folders).map(({ title }) => title);

describe('what is suggested to somebody who is new here', () => {
  it('follows from the programs that are installed and the folders that were named, and is at most three', () => {
    using folder = temporaryFolder();
    expect(titles(folder.dir)).toEqual(['What takes the most space on the desk']);
    for (const name of ['magick', 'pdftotext', 'ffmpeg']) writeFileSync(join(folder.dir, name), '');
    expect(titles(folder.dir)).toEqual([
      'Small copies of the pictures on the desk',
      'The text of every PDF on the desk',
      'The sound of every video on the desk',
    ]);
    const folders = ["~/Tom's notes", '/srv/else'];
    expect(titles(folder.dir, folders)[0]).toBe("What has changed in ~/Tom's notes this week");
    expect(suggestTasks([folder.dir], folders)[0]?.text).toContain(`find ~/'Tom'\\''s notes' -type f`);
    expect(suggestTasks([folder.dir], folders)).toHaveLength(3);
  });

  it('are runbooks, which need no model, and get done, also on an empty desk', async () => {
    await using story = await openStory();
    story.work();
    mkdirSync(story.desk('.'), { recursive: true });
    const all = suggestTasks(programFolders(), []);
    for (const { title, text } of all) {
      const { task, body } = readTask(Buffer.from(text), 'it.md');
      expect([kindOf(body, task, 1).kind, task.title ?? title]).toEqual(['runbook', title]);
    }
    const now = all.filter(({ text }) => !text.startsWith('---'));
    now.forEach(({ text }, index) => story.drop(`next-${index}.md`, `---\nid: next-${index}\n---\n${text}`));
    for (const index of now.keys()) expect((await story.ended(`next-${index}`)).status).toBe('done');
    expect(readFileSync(story.desk('largest.txt'), 'utf8')).toMatch(/\d+\t\./);
  });
});
