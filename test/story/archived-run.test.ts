/** Runs whose events have left the live ledger are told, explained and undone as before. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

const runbook = (id: string, step: string): string => `---\nid: ${id}\n---\n# ${id}\n\n\`\`\`bash\n${step}\n\`\`\`\n`;

it('an archived run is shown, explained and undone as it was, and the next one goes on from it', async () => {
  await using story = await openStory();
  story.work();
  story.drop('good.md', runbook('good', 'echo good > good.txt'));
  story.drop('bad.md', runbook('bad', 'echo half > bad.txt; false'));
  await story.ended('good');
  await story.ended('bad');
  await story.rest();
  const said = async (): Promise<string[]> => {
    const words = [['explain', 'good'], ['explain', 'bad'], ['show', 'good'], ['show', 'bad'], ['runs']];
    return Promise.all(words.map(async (each) => (await story.oka(...each)).out));
  };
  const before = await said();
  const later = new Date(Date.now() + 60_000).toISOString();
  expect((await story.oka('ledger', 'archive', '--before', later)).out).toMatch(/Moved events 1 to \d+ into 1 segment/);
  expect(readdirSync(join(story.home.oka, 'archive')).length).toBeGreaterThan(0);
  expect(await said()).toEqual(before);
  expect((await story.oka('undo', 'good')).code).toBe(0);
  expect(existsSync(story.desk('good.txt'))).toBe(false);
  expect(story.deskText('bad.txt')).toBe('half\n');
  story.work();
  story.drop('next.md', runbook('next', 'echo next > next.txt'));
  expect(await story.ended('next')).toMatchObject({ status: 'done' });
  await story.rest();
  expect((await story.oka('verify')).code).toBe(0);
});
