import { readFileSync, truncateSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readHomeStatus } from '../../../src/app/status/home-status.ts';
import { openStory } from '../../support/story.ts';

it('every reader says that a ledger has lost its end, as whoever would write it refuses', async () => {
  await using story = await openStory();
  story.drop('hello.md', '---\nid: hello\n---\n```bash\necho hello > hello.txt\n```\n');
  story.work();
  await story.ended('hello');
  await story.rest();
  expect(await story.oka('status')).toMatchObject({ code: 0 });
  expect((await readHomeStatus(story.home)).history_problem).toBeNull();
  expect((await story.oka('runs')).err).toBe('');
  const file = story.home.ledgers.run;
  const lines = readFileSync(file, 'utf8').split('\n');
  const lost = lines.slice(lines.findIndex((line) => line.includes('"type":"run.ended"'))).join('\n');
  truncateSync(file, readFileSync(file).length - Buffer.byteLength(lost));
  const what = /ends at event \d+, but event \d+ was recorded[\s\S]*oka ledger accept-rollback/;
  const plain = (text: string): string => text.replaceAll(/\s+/g, ' ');
  const status = await story.oka('status');
  expect(status.code).toBe(1);
  expect(plain(status.out)).toMatch(what);
  for (const words of [['runs'], ['show', 'hello'], ['explain', 'hello'], ['find', 'hello']])
    expect({ words, err: plain((await story.oka(...words)).err) }).toEqual({
      words,
      err: expect.stringMatching(what) as string,
    });
  expect((await readHomeStatus(story.home)).history_problem?.what).toContain('ends at event');
});
