import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stableShare } from '../../src/rooms/procedures/choose-procedure.ts';
import { openStory, type Story } from '../support/story.ts';
import { inParts, plan } from '../support/story-model.ts';

const task = (id: string, text: string): string => `---\nid: ${id}\n---\n${text}\n`;

/** A name for a run that does use this promoted procedure, does not plan for comparison, and is not judged by the critic. */
const runOutside = (share: number, procedure: string): string => {
  for (let at = 0; ; at += 1) {
    const shares = [procedure, `${procedure} judged`].map((name) => stableShare(`run-${at}`, name));
    if (shares.every((each) => each >= share)) return `run-${at}`;
  }
};

type Listed = { id: string; title: string; status: string; forced: boolean };

const listed = async (story: Story): Promise<Listed[]> =>
  (JSON.parse((await story.oka('procedures', 'list', '--json')).out) as { procedures: Listed[] }).procedures;

describe('a procedure', () => {
  it('is made by maintenance from what the worker did, and then does the like of it', async () => {
    const capitals = inParts({
      planner: ({ text }) => {
        const [, words = '', path = ''] =
          /Write "([^"]+)" in capitals into ([\w./]+)/.exec(text.split('Task:').at(-1) ?? '') ?? [];
        const line = `tr a-z A-Z < ${path} > ${path}.up`;
        return plan(
          [
            { id: 'write', tool: 'files.write', input: { path, content: `${words}\n` }, targets: [path] },
            { id: 'upper', tool: 'shell', input: { line }, needs: ['write'], targets: [`${path}.up`] },
          ],
          [`matches: ${path}.up /[A-Z]/`],
        );
      },
    });
    await using story = await openStory({ model: capitals });
    story.work();
    story.drop('a.md', task('one', 'Write "good morning" in capitals into a.txt'));
    await story.ended('one');
    story.drop('b.md', task('two', 'Write "bye" in capitals into deep/b.txt'));
    await story.ended('two');
    expect((await story.oka('maintain', '--once')).code).toBe(0);
    const [mined, ...others] = await listed(story);
    expect([mined?.title, mined?.status, others]).toEqual(['Write "<text>" in capitals into <path>', 'candidate', []]);
    expect((await story.oka('procedures', 'why', mined?.id ?? '')).out).toMatch(
      /missing +1 more success; 3 more runs with it that are cheaper than without it/,
    );
    await story.oka('procedures', 'promote', mined?.id ?? '', '--force');
    await story.until('the wish', async () => (await story.eventsOf('intake.received'))[0]);
    await story.oka('maintain', '--once');
    expect(await listed(story)).toMatchObject([{ status: 'promoted', forced: true }]);
    expect(readFileSync(join(story.home.oka, 'brain', 'PROCEDURES', `${mined?.id}.md`), 'utf8')).toContain(
      'set by a person',
    );
    const asked = story.model.requests.length;
    const run = runOutside(0.1, mined?.id ?? '');
    story.drop('c.md', task(run, 'Write "how are you; $(id)" in capitals into c/d.txt'));
    expect((await story.ended(run)).status).toBe('done');
    expect(story.deskText('c/d.txt.up')).toBe('HOW ARE YOU; $(ID)\n');
    expect(story.model.requests).toHaveLength(asked);
  });
});
