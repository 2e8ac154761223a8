/**
 * A whole first day with oka, through the command line: start it, give it work, learn the outcome. The screens
 * are in test/fixture/screens; `vitest -u` writes them again, and whoever does that reads them.
 */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { screenText } from '../support/screen.ts';
import { openStory, type Story } from '../support/story.ts';

const TOTALS = `---
accept:
  - rows: totals.csv >= 1
---
# Totals by month

\`\`\`bash
printf 'month,total\\n2026-01,12\\n' > totals.csv
echo "It's *done* [x]"
\`\`\`
`;
const FAILS = '# Collect the logs\n\n```bash\nls /var/log/nonexistent\n```\n';
const POSTS = '# Report to the server\n\n```bash\ncurl -X POST https://example.com/api -d x=1\n```\n';

it('a person learns the outcome of every task, by its title', { timeout: 120_000 }, async () => {
  await using story = await openStory();
  const up = story.start(['up', '--alone']);
  await story.until('the welcome', () => line(story, 'done: Welcome to oka'));
  await give(story, 'totals.md', TOTALS, 'done: Totals by month → ');
  await give(story, 'logs.md', FAILS, 'not done: Collect the logs: ');
  await give(story, 'server.md', POSTS, 'waits for your approval: Report to the server: ');
  await give(story, 'poem.md', '# A poem\n\nWrite a poem about rain.\n', 'waits: A poem: ');
  await give(story, 'notes.md', '---\ncolour: red\n---\nx\n', 'not a task: notes.md: ');
  await show(story, 'status', 'status');
  await show(story, 'runs', 'runs');
  expect((await story.oka('deny', 'server')).code).toBe(0);
  await story.until('the refusal', () => line(story, 'not done: Report to the server: '));
  up.kill('SIGINT');
  expect(await once(up, 'exit')).toEqual([0, null]);
  await expect(screenText(`${story.told.join('\n')}\n`, story.home.dir)).toMatchFileSnapshot(fixture('up'));
});

const fixture = (name: string): string => `../fixture/screens/${name}.txt`;

async function give(story: Story, name: string, text: string, expected: string): Promise<void> {
  story.drop(name, text);
  await story.until(expected, () => line(story, expected));
}

const line = async (story: Story, part: string): Promise<string | undefined> =>
  story.told.find((each) => each.includes(part));

async function show(story: Story, command: string, screen: string): Promise<void> {
  const { out } = await story.oka(command);
  await expect(screenText(out, story.home.dir)).toMatchFileSnapshot(fixture(screen));
}
